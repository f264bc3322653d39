"""What the script holds in the place of a batch: a list, where its call gave one."""

from __future__ import annotations

from typing import Any

import libcst as cst
from libcst import matchers as m

_UNPACKED = m.Assign(targets=[m.AssignTarget(target=m.OneOf(m.Tuple(), m.List()))])


def as_list(batch: cst.BaseExpression, given: Any, parent: cst.CSTNode) -> cst.BaseExpression:
    """The new expression of a batch, in a list where the script had a list from its call.

    A dataset's element is a tuple, to which the program can add no list, and which `sess.run` gives
    back as a tuple. Where names alone take its parts, no one sees which of both it was.

    Args:
      batch: what stands in the place of the call.
      given: what the call gave: a dict, a list or one tensor.
      parent: the node of the script that the call stood in.
    """
    if not isinstance(given, list) or m.matches(parent, _UNPACKED):
        return batch
    return cst.List([cst.StarredElement(batch)])  # the script may call something else `list`

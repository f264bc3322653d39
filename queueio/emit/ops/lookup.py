"""Tables and variables, which become arguments of the function that uses them."""

from __future__ import annotations

from typing import Any

from queueio.emit.ops import SourceSite, expresses
from queueio.emit.spelling.code import Code


@expresses("LookupTableFind", "LookupTableFindV2")
def find(site: SourceSite) -> Code:
    """`table.lookup(keys)`."""
    table = site.body.table(site.op.inputs[0], site.static(2))
    value = site.body.tensor(site.op.inputs[1])  # lookup asks for its dtype
    return Code(f"{table}.lookup({value.flat})", head=f"{table}.lookup(", items=(value,),
                close=")", call=True)  # fmt: skip


@expresses("ReadVariableOp")
def read(site: SourceSite) -> Any:
    """A variable's value."""
    return site.body.variable(site.op.inputs[0])

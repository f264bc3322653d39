"""Tables and variables, which become arguments of the function that uses them."""

from __future__ import annotations

from typing import Any

from queueio.emit.ops import SourceSite, expresses
from queueio.emit.spelling.code import Code
from queueio.graph.traversal import root, takers


@expresses("LookupTableFind", "LookupTableFindV2")
def find(site: SourceSite) -> Code:
    """`table.lookup(keys)`; a branch gets the default from around itself, as it does the table."""
    table = site.body.table(site.op.inputs[0], site.behind(2))
    value = site.body.tensor(site.op.inputs[1])  # lookup asks for its dtype
    return Code(f"{table}.lookup({value.flat})", head=f"{table}.lookup(", items=(value,),
                close=")", call=True)  # fmt: skip


@expresses("LookupTableSize", "LookupTableSizeV2")
def size(site: SourceSite) -> Code:
    """`table.size()` of the table that the keys are looked up in."""
    return Code(f"{site.body.table(site.op.inputs[0], _default(site))}.size()", call=True)


def _default(site: SourceSite) -> Any:
    table = root(site.op.inputs[0])
    finds = (user for user in takers(table) if user.type.startswith("LookupTableFind"))
    known = (site.body.known.values.get(root(find.inputs[2]).name) for find in finds)
    return next((value for value in known if value is not None), None)


@expresses("ReadVariableOp")
def read(site: SourceSite) -> Any:
    """A variable's value."""
    return site.body.variable(site.op.inputs[0])

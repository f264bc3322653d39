"""Leaving the queues: `queueio convert` and `queueio upgrade`.

command.py   the two commands
refusals.py  what is refused before anything runs
written.py   the pipelines of a script as modules, and what is told about them
upgrade.py   the smaller step: the import line and names, for code that stays on queues
patch.py     the larger one: the script's own queue calls replaced by the new module
scaffold.py  what of the coordinator and its threads nothing else uses
leftovers.py what fed the queues and feeds nothing now
compared.py  whether the new module delivers the old pipeline's examples
source.py    the script as a tree; dependence.py, which values may change with call or run, and must
             be passed; flags.py, other values of the options that they come from
beside.py    the changed script beside the old one, as each session call sees them; observers.py
             has the processes, observed.py runs one of the two in each

A script is rewritten only where that is sure. What is left says why, with its line.
"""

from __future__ import annotations

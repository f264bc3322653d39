"""Leaving the queues: `queueio convert` and `queueio upgrade`.

    refusals   what is refused before anything runs
       ▼
    written    the pipelines of a script as modules, and what is told about them
       │ ─▶ compared          whether a module delivers the old pipeline's examples
       ▼
    patch      the script's own queue calls give way to the module
       │       source         the script as a tree
       │       dependence     which values may change with call or run, and must be passed: making
       │                      has the statements that made a pipeline, variation says what in them
       │                      is fixed, by conditions, changes (along the flow), sets and rewriting;
       │                      once says what may be passed though its line stays
       │       flags          other values of the options that they come from
       │       new_imports    where the new modules are imported
       │       by_name        what is read by names that stand in no code, and so stays
       │       leftovers      what fed the queues and feeds nothing now
       │       scaffold       what of the coordinator and its threads nothing else uses
       ▼
    beside     the changed script beside the old one, as each session call sees them: observers has
               the processes, observed runs one of the two in each

`upgrade` is the smaller step: the import line and names, for code that stays on queues. The
commands are in command.py. A script is rewritten only where that is sure; what is left says why,
with its line.
"""

from __future__ import annotations

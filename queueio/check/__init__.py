"""`queueio check`: which names of TF1 a code base uses, and which of them run.

files      the files, and which of them an import means
  ▼
walk       a file's names, where it asks for them, and what its variables may be
  │ ─▶ guarding      what it does about a name that may be missing
  ▼
meaning    what a variable is at last, across files
  ▼
verdicts   whether a name runs: asked of `queueio.v1` itself, its advice from `queueio.compat`
  ▼
checking   all names of all files ─▶ report, as text or JSON

names holds what these hand to one another. Nothing of the checked code is run.
"""

from __future__ import annotations

"""`python -m queueio` is the command `queueio`."""

from __future__ import annotations

from queueio.cli import main

main(prog_name="queueio")

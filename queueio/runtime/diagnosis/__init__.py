"""Why a call waits or fails, told from the graph, the ledger and the queues.

stall.py       when has a call waited too long?
state.py       what it waits for, and all that could move: queues.py, at_work.py
blame.py       who should fill the queue, and why nobody does: by_hand.py, deadlock.py,
               other_waits.py
spinning.py    who turns and turns and delivers nothing
root_cause.py  why a queue is closed: natural_end.py, uninitialised.py, or the first error
"""

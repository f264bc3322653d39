"""`queueio run`: a TF1 script, untouched, on today's TensorFlow.

command.py     the command and its options
program.py     runs a file or a module as `__main__`, and ends as Python would
building.py    runs a script until its graphs are built, for `queueio explain` and `convert`
op_traces.py   keeps our frames out of the stacks that TensorFlow notes in ops
tracebacks.py  shows a traceback without the frames that are ours
removals.py    says which line uses what NumPy 2 removed, and what to write instead
"""

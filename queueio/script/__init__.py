"""`queueio run`: a TF1 script, untouched, on today's TensorFlow.

command ─▶ program       runs a file or a module as `__main__`, and ends as Python would
             ├─ op_traces     keeps our frames out of the stacks that TensorFlow notes in ops
             └─ tracebacks    shows a traceback without the frames that are ours
                  ├─ python2       says that a file is Python 2
                  ├─ python2_names what Python 2 had, and is written in its place
                  └─ removals      says which line uses what NumPy 2 or Python 3 removed
building ─▶ program      until the graphs are built, for `queueio explain` and `convert`
options                  of commands that hand what they do not know to the script
"""

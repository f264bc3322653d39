"""Components that are drawn anew in each run, as random augmentation does.

drawn.py         which those are
same_draws.py    the same draws on both sides, where that can be had
distribution.py  else whether the distributions agree: figures (features.py) of each run (taken.py),
                 and of what is drawn for one example (around.py), summed up and tested (tally.py),
                 how often each draw comes (near.py), and the words for what differs (relation.py)
together.py      whether draws of one example belong together alike, and of one batch (mates.py)
"""

"""The sides: whatever gives examples, once or again, as a stream of batches.

given.py         what the user gives -> a Side (side.py)
graph_side.py    a function of queue code, or a graph; seeds.py has its seeds
dataset_side.py  a tf.data.Dataset, a plan, or a function of either
recording.py     what queueio/recorder.py wrote
script.py        script.py:name
changed.py       a side whose batches are changed on their way
padded.py        a side whose examples are padded on to one length
schema.py        the components of a stream, and which of two can be compared
cost.py          what a side costs to run
"""

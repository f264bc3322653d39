"""The ground floor: facts about graphs that every layer above may ask for, and nothing of stages.

traits ─▶ traversal ─▶ bodies ─▶ session_state ─▶ index: queues, who fills, empties, runs them
v1_control_flow ─▶ fragment: ops between two points of a stream ◀─ copying: ops made once more
failing: ops that succeed whatever comes, and so may run elsewhere
origin ─▶ error_text: what TensorFlow said, of which op
          refusal: an op in the way ─▶ trust: what may run of a graph from elsewhere
unnoticed: ops of ours leave collections and random numbers as they are without them
called: what a program calls the tensors of a batch
"""

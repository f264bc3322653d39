"""The ground floor: facts about graphs that every layer above may ask for, and nothing of stages.

traits ─▶ traversal ─▶ bodies ─▶ session_state ─▶ index: queues, who fills, empties, runs them
origin ─▶ error_text: what TensorFlow said, of which op       called: a batch's keys
"""

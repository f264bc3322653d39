"""What a stage is written as.

sliced.py, fast.py        the plan itself changed first, where that reads or runs better
rows.py, counted.py       where a stream begins
transform.py              a function, and the map that calls it
seeds.py, pace.py         so that seeded draws come as they came
rounding.py ─▶ floats.py  how far last bits are from a session's: measured, on made-up numbers
"""

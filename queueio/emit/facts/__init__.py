"""What the old graph says, before any of it is written down.

names.py    the user's own names of variables ─▶ effects.py, what is there for its effect
units.py    in which order ops are written, and which of them belong to one cond
values.py   what is known of tensors: constants, static shapes
draws.py    which random draws belong together
"""

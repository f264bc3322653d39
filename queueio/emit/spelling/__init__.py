"""Python, of which TensorFlow's graphs know nothing.

code.py      expressions, laid out as ruff lays them out
literal.py   constants and nests ─▶ lists.py, with repetition and slices
stored.py    constants too large for a module
function.py  statements and functions ─▶ rebind.py, names that are used again ─▶ variables.py, which
             finds names in a text
"""

"""Which differing example of one side is which of the other, and what was changed.

match.py         pairs of examples
counterparts.py  more pairs, by the change that most share; pairs of components
changes.py       what was done to a component
"""

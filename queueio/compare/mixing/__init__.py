"""What shuffling does: to the order, and by chance to what comes at all.

order.py   how well a side mixes
pool.py    the size of the shuffle pool that mixes so
chance.py  differences that are what shuffling left out
rests.py   what differs though chance left it out of a first run
often.py   how often each example comes (rates.py), where chance has a part in it
kept.py    sides that keep their examples by chance
gaps.py    where in one order something is lacking
"""

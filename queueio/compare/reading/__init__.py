"""Reading both sides in constant memory, and fetching again what differs.

scan.py        a side while it runs: its digests (digest.py), of which spool.py keeps all on
               disk and seen.py a sample
lockstep.py    both sides, turn by turn
waiting.py     for a batch that may never come
exact.py       numbers as they are, with no float in between
padding.py     what is padded to the longest of its batch, and so by chance
given_as.py    what is near to the other side's, given as that
difference.py  which digests differ, and how often each side has them
again.py       a further run of a side
fetch.py       whole examples of a further run, of the digests that differ
progress.py    what is said meanwhile
"""

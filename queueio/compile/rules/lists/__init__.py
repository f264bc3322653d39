"""Rules for values of another length in each example: tokens, their mask, what was cut off them.

    parse ─▶ tokens  7 8 9 | | 5 6  ─▶ tokens[1:]  8 9 | | 6  ─▶ tf.shape(…)[0]  2  0  1

What treats each value alone sees all values of a chunk. What moves values gathers them. What makes
one value of a list gives rows, which the rules for rows take from there.
"""

from __future__ import annotations

from queueio.compile.rules.lists import elementwise, layout, made, parsed, reduction, slices

__all__ = ["elementwise", "layout", "made", "parsed", "reduction", "slices"]

"""A run as a page that plays it again: one file, no network.

`page.py` makes data of a tape; `replay.js` draws it, `replay.css` and `replay.html` are its looks.
"""

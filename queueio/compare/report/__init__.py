"""The outcome, and how it is shown.

summary.py  what a side delivered and took
outcome.py  the verdict and the findings, as text
page.py     as HTML (report.html.j2), with plots.py and drawing.py
result.py   what `compare` returns: the outcome, which writes itself as JSON or as the page
"""

"""Measures what queueio claims: `make bench`."""

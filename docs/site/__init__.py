"""The documentation as a site: `make site`. Its pages are made from the files that exist."""

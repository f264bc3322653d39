"""Which files, numbers or slices are handed out, in which order, and how often."""

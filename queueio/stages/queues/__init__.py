"""Where examples wait between threads: the kinds of queue, and what happens on the way in."""

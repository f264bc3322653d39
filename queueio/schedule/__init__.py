"""Who runs next? The queue model stepped over real ops, and searched for what goes wrong.

A script runs as it is, with its threads, but only one of them at a time: each call of a session,
each wait and each new thread stops at a gate, and a controller says whose turn it is. What was
chosen is a line of text, which runs the same way again.

    step                    a command: step by step, by hand or along a line
    explore                 a command: many schedules, until one ends badly
      │
    child                   each run is a process of its own, which ends with it
      │
    program                 a script under control, from its first line to its end
      │
    gates, waiting          where threads stop: session calls; joins, locks, sleeps, clocks
      │
    controller              whose turn it is: actors, and what each is about to do
      │
    strategies   levels     who is chosen; which queue holds how much, and what a call needs of it
    line, events, rest      the text of a schedule; what happened; whether all is quiet
"""

"""What if the queue were larger, or filled by more threads? Predicted from one recorded run.

    changes             what can be changed, and how it is written
      │
    record, applied     a free run for some seconds, as it is or with the changes
      │
    waits               which part of each call was a wait for a queue; what is left is work
      │
    seen, processor     kinds of call, their works, and how much of those needs a core
      │
    fit                 the model that, simulated, gives the run's own figures
      │
    simulate, cores     queues, threads, pool and cores again, event by event, with other figures
      │
    measure             rate, levels and waits, of a run and of a simulation alike
      │
    predict, shown      now beside then; a verdict

`command` is the command, `model` and `reworked` what the others hand on.
"""

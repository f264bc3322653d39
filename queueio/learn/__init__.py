"""The queue model as levels to play: small scripts, run for real, judged by what they did.

command          `queueio learn`: what the learner sees
course           all levels as one page, with replays of their runs
  │
levels/          what is to be reached, how it is judged, what it teaches
scripts/         the scripts, which are copied into the learner's folder
level            what a level is
  │
playing          a script under the scheduler; what its run did
progress         the learner's folder, and what is solved
"""

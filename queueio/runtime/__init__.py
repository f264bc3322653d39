"""What happens while a pipeline runs: threads, their end, and what to say when it goes wrong.

Read in this order: `coordinator` (who asks threads to stop), `queue_runner` (the threads),
`start` (all of them at once), `ledger` (what they did), `watch` (what a `Session.run` is told).

    start ─▶ queue_runner ─▶ threads, ends ─▶ coordinator      watch ─▶ stall ─▶ blame, spinning
                  │                                             │  └──▶ interrupt      │
                  ▼                                             ▼                      ▼
               ledger: what each session's threads did       watcher ─▶ calls: what is in flight

    start ─▶ queue_runner ─▶ threads, ends ─▶ coordinator      watch ─▶ stall ─▶ blame, spinning
                  │                                             │  └──▶ interrupt      │
                  ▼                                             ▼                      ▼
               ledger: what each session's threads did       watcher ─▶ calls: what is in flight
"""

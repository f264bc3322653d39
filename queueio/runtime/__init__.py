"""What happens while a pipeline runs: threads, their end, and what to say when it goes wrong.

    train.py, data_engine/
        │ install
        ▼
    watch ─▶ interrupt, fork, mixed_elements, chosen_batches    what is put around a Session.run
        │
    threads/     coordinator, queue runners: what fills the queues
        │
    diagnosis/   why a call waits, or what really failed
        │
        ▼
    calls        calls in flight; the one place that replaces methods of sessions
    here         calls made ready once, run in the thread that makes them
    watcher      a thread beside them      ledger    what each session's threads did
    topology     which queue feeds which   notes     a sentence more on an exception

Each stands on those below it only.
"""

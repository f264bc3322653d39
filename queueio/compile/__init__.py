"""Plan → dataset and plan → source: what a lifted plan becomes."""

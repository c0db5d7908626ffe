"""The workers: house bots' turns and expiries as RQ jobs, and the ticker that hands out what is due."""

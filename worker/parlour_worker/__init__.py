"""The workers: house bots' turns, expiries and webhooks as RQ jobs, and the ticker that hands out what is due."""

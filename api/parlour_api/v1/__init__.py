"""Version 1 of the HTTP API: thin, one function an operation, failures declared beside it."""

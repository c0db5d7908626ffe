"""The service: use cases, the Redis store, jobs, and the HTTP API over them."""

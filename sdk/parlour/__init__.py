"""The Python SDK of parlour."""

"""Cross-origin requests: pages of any origin (or of those that the deployment names) may use the API from a browser.

No cookies are involved: a token travels in a header that only the page itself can set.
"""

from __future__ import annotations

from collections.abc import Sequence

EXPOSED = "ETag, Location, Date, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id"
ALLOWED = "Authorization, Content-Type, If-None-Match, Prefer, Last-Event-ID, Idempotency-Key"

Headers = list[tuple[str, str]]


def answer_headers(origin: str, origins: Sequence[str]) -> Headers:
    """What an answer to a page of ``origin`` carries; nothing if that origin may not read it."""
    if "*" in origins:
        return [("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", EXPOSED)]
    varies = [("Vary", "Origin")]
    if origin not in origins:
        return varies
    return [("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", EXPOSED), *varies]


def preflight_headers() -> Headers:
    """What the answer to a browser's question before the request carries besides."""
    return [
        ("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS"),
        ("Access-Control-Allow-Headers", ALLOWED),
        ("Access-Control-Max-Age", "86400"),
    ]

"""What the HTTP bench compares with: a bare Flask app, one constant route and one with a single Redis GET."""

from __future__ import annotations

import os

import redis
from flask import Flask, Response

BODY = b'{"x":"' + b"a" * 5000 + b'"}'


def create_app() -> Flask:
    """The bare app, on the Redis of PARLOUR_REDIS_URL."""
    app = Flask(__name__)
    client = redis.Redis.from_url(os.environ["PARLOUR_REDIS_URL"])
    client.set("bench:body", BODY)

    @app.get("/constant")
    def constant() -> Response:
        return Response(BODY, 200, mimetype="application/json")

    @app.get("/get")
    def get() -> Response:
        return Response(client.get("bench:body"), 200, mimetype="application/json")

    return app

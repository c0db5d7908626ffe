"""A partner's backend in one file: it creates a match for an order and is told how the match ended.

Start the service with a key, and, since this receiver is on the same machine, with private addresses allowed:

    export PARLOUR_KEY=key_$(openssl rand -hex 16)
    PARLOUR_API_KEYS="acme=$PARLOUR_KEY" PARLOUR_WEBHOOK_PRIVATE=allow parlour serve
    python examples/partner.py http://127.0.0.1:8080

It needs the SDK and `pip install standardwebhooks`.
"""

from __future__ import annotations

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread

from parlour import Client
from standardwebhooks import Webhook, WebhookVerificationError

URL = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"

secret = ""  # what verifies deliveries; a real backend keeps it with its other secrets
events: Queue[dict] = Queue()  # what was delivered, for the backend to work on in its own time


class Receiver(BaseHTTPRequestHandler):
    """Takes deliveries: verifies each, answers at once, and works on it afterwards."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = Webhook(secret).verify(body, dict(self.headers))
        except WebhookVerificationError:
            status = 400  # not from the service, or not for us
        else:
            status = 204  # anything but 2xx would be sent again
            events.put({**event, "id": self.headers["webhook-id"]})
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    global secret
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    with Client(URL, token=os.environ["PARLOUR_KEY"]) as client:
        webhook = client.create_webhook(f"http://127.0.0.1:{server.server_port}/parlour", ["match.finished"])
        secret = webhook.secret
        try:
            created = client.create("valente", ["bot", "bot", "bot"], metadata={"order": "4711"})
            print(f"match {created.match.id} for order 4711 has begun")
            seen = set()
            while True:
                event = events.get(timeout=120)
                if event["id"] in seen:  # delivered at least once, so perhaps twice
                    continue
                seen.add(event["id"])
                match = event["data"]["match"]
                print(f"order {match['metadata']['order']} is done: {match['outcome']['text']}")
                break
        finally:
            client.delete_webhook(webhook.id)
            server.shutdown()


if __name__ == "__main__":
    main()

"""Every operation of the API that the SDK calls, by the ids of the OpenAPI document. A test compares the two."""

from __future__ import annotations

from .retry import Operation

LIST_GAMES = Operation("list_games", "GET", "/v1/games", safe=True)
GET_GAME = Operation("get_game", "GET", "/v1/games/{game}", safe=True)
LIST_BOTS = Operation("list_bots", "GET", "/v1/bots", safe=True)

CREATE_MATCH = Operation("create_match", "POST", "/v1/matches", keyed=True)
LIST_MATCHES = Operation("list_matches", "GET", "/v1/matches", safe=True)
GET_MATCH = Operation("get_match", "GET", "/v1/matches/{match_id}", safe=True)
JOIN_MATCH = Operation("join_match", "POST", "/v1/matches/{match_id}/join", keyed=True)
FILL_SEAT = Operation("fill_seat", "PUT", "/v1/matches/{match_id}/seats/{seat}")
START_MATCH = Operation("start_match", "POST", "/v1/matches/{match_id}/start")
GIVE_ENTROPY = Operation("give_entropy", "POST", "/v1/matches/{match_id}/entropy")
LEAVE_MATCH = Operation("leave_match", "POST", "/v1/matches/{match_id}/leave")
TAKE_OVER_SEAT = Operation("take_over_seat", "POST", "/v1/matches/{match_id}/seats/{seat}/takeover")
RETURN_TO_SEAT = Operation("return_to_seat", "POST", "/v1/matches/{match_id}/seats/{seat}/return")
CANCEL_MATCH = Operation("cancel_match", "POST", "/v1/matches/{match_id}/cancel")

GET_OBSERVATION = Operation("get_observation", "GET", "/v1/matches/{match_id}/observation", safe=True)
ACT = Operation("act", "POST", "/v1/matches/{match_id}/actions", safe=True)
LIST_EVENTS = Operation("list_events", "GET", "/v1/matches/{match_id}/events", safe=True)
CREATE_STREAM_TICKET = Operation("create_stream_ticket", "POST", "/v1/matches/{match_id}/stream-ticket")
CREATE_MESSAGE = Operation("create_message", "POST", "/v1/matches/{match_id}/messages", keyed=True)
LIST_MESSAGES = Operation("list_messages", "GET", "/v1/matches/{match_id}/messages", safe=True)
GET_REPLAY = Operation("get_replay", "GET", "/v1/matches/{match_id}/replay", safe=True)

CREATE_WEBHOOK = Operation("create_webhook", "POST", "/v1/webhooks", keyed=True)
LIST_WEBHOOKS = Operation("list_webhooks", "GET", "/v1/webhooks", safe=True)
GET_WEBHOOK = Operation("get_webhook", "GET", "/v1/webhooks/{webhook_id}", safe=True)
DELETE_WEBHOOK = Operation("delete_webhook", "DELETE", "/v1/webhooks/{webhook_id}")
LIST_DELIVERIES = Operation("list_deliveries", "GET", "/v1/webhooks/{webhook_id}/deliveries", safe=True)
RESEND_DELIVERY = Operation("resend_delivery", "POST", "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend")

HEALTHZ = Operation("healthz", "GET", "/healthz", safe=True)
READYZ = Operation("readyz", "GET", "/readyz")  # "not now" is an answer: who waits for another asks again
ERROR_PAGE = Operation("error_page", "GET", "/errors/{code}", safe=True)

METHODS = {
    LIST_GAMES: "Client.games",
    GET_GAME: "Client.game",
    LIST_BOTS: "Client.bots",
    CREATE_MATCH: "Client.create",
    LIST_MATCHES: "Client.matches",
    GET_MATCH: "Client.match",
    JOIN_MATCH: "Client.join",
    FILL_SEAT: "Host.fill",
    START_MATCH: "Host.start",
    GIVE_ENTROPY: "Seat.give_entropy",
    LEAVE_MATCH: "Seat.leave",
    TAKE_OVER_SEAT: "Host.take_over",
    RETURN_TO_SEAT: "Seat.take_back",
    CANCEL_MATCH: "Host.cancel",
    GET_OBSERVATION: "Viewer.observe",
    ACT: "Seat.act",
    LIST_EVENTS: "Viewer.events",
    CREATE_STREAM_TICKET: "Viewer.stream_ticket",
    CREATE_MESSAGE: "Seat.say",
    LIST_MESSAGES: "Viewer.messages",
    GET_REPLAY: "Viewer.replay",
    CREATE_WEBHOOK: "Client.create_webhook",
    LIST_WEBHOOKS: "Client.webhooks",
    GET_WEBHOOK: "Client.webhook",
    DELETE_WEBHOOK: "Client.delete_webhook",
    LIST_DELIVERIES: "Client.deliveries",
    RESEND_DELIVERY: "Client.resend",
    HEALTHZ: "Client.is_up",
    READYZ: "Client.is_ready",
    ERROR_PAGE: "Client.error_page",
}
"""Which method calls which operation."""

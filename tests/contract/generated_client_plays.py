"""A whole match through a client that openapi-python-client has made; run by its test, which makes the client."""

from __future__ import annotations

import random
import sys

from parlour_client import AuthenticatedClient, Client
from parlour_client.api.matches import create_match
from parlour_client.api.play import act, get_observation
from parlour_client.models import (
    ActAnswer,
    ActionNumber,
    ActRequest,
    CreatedAnswer,
    MatchRequest,
    NotYourTurnProblem,
    ObservationAnswer,
    SeatRequest,
    SeatRequestKind,
    StaleDecisionProblem,
)


def main(url: str, game: str, seats: int) -> None:
    """Create a match against house bots and play it to its end, by chance."""
    bots = [SeatRequest(SeatRequestKind.BOT) for _ in range(seats - 1)]
    request = MatchRequest(game, [SeatRequest(SeatRequestKind.MINE, name="Generated"), *bots])
    created = create_match.sync(client=Client(url), body=request)
    assert isinstance(created, CreatedAnswer), created
    client = AuthenticatedClient(url, created.seat_tokens[0].token, timeout=120)
    match_id = created.match.id
    acts = 0
    seen = get_observation.sync(match_id, client=client)
    while True:
        assert isinstance(seen, ObservationAnswer), seen
        if seen.status == "finished":
            break
        if seen.decision is None:
            seen = get_observation.sync(match_id, client=client, after=seen.version, wait=30) or seen
            continue
        chosen = random.choice(seen.decision.legal_actions)
        acted = act.sync(match_id, client=client, body=ActRequest(seen.decision.id, [ActionNumber(chosen.id)]))
        assert isinstance(acted, ActAnswer | NotYourTurnProblem | StaleDecisionProblem), acted
        acts += isinstance(acted, ActAnswer)
        seen = acted.observation
    assert seen.outcome is not None
    assert seen.view is not None
    print(f"{game}: {acts} acts, {type(seen.view).__name__}. {seen.outcome.text}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

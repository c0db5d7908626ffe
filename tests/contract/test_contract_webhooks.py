"""docs/webhooks.md is true: what it says to verify with verifies what we sign, and its tables are the code's."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from parlour_api import outbound, webhooks
from parlour_api.settings import Settings
from standardwebhooks import Webhook, WebhookVerificationError

from tests.node import node

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "webhooks.md").read_text("utf-8")
SECRET = "whsec_" + "bm90IGEgc2VjcmV0IG9mIGFueWJvZHk="
BODY = '{"type":"match.finished","data":{"match":{"name":"Ada · «naïve» 🂡"}}}'


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def signed(secret: str = SECRET, age_s: int = 0) -> dict[str, str]:
    """Headers as the worker makes them."""
    at = int(time.time()) - age_s
    signature = Webhook(secret).sign("dlv_a", datetime.fromtimestamp(at, UTC), BODY)
    return {"webhook-id": "dlv_a", "webhook-timestamp": str(at), "webhook-signature": signature}


FORGED = [
    ({}, BODY + " "),
    ({"webhook-id": "dlv_b"}, BODY),
    ({"webhook-signature": "v1,AAAA"}, BODY),
    ({"webhook-signature": "v2," + "A" * 43 + "="}, BODY),
    (signed(age_s=3600), BODY),
    (signed("whsec_" + "YW5vdGhlcg=="), BODY),
]


def in_javascript(headers: dict[str, str], body: str, folder: Path) -> tuple[int, str]:
    script = folder / "read.mjs"
    call = f"read({json.dumps(SECRET)}, {json.dumps(headers)}, Buffer.from({json.dumps(body)}))"
    script.write_text(f"{block('js')}\nconsole.log(JSON.stringify({call}));\n", "utf-8")
    return node(script)


def in_python(headers: dict[str, str], body: str) -> Any:
    made: dict[str, Any] = {}
    exec(block("python"), made)
    return made["read"](SECRET, headers, body.encode())


def test_both_read_what_we_sign(tmp_path: Path) -> None:
    ours = signed()
    rotated = {**ours, "webhook-signature": "v1,AAAA " + ours["webhook-signature"]}
    for headers in (ours, rotated):
        assert in_python(headers, BODY) == json.loads(BODY)
        status, printed = in_javascript(headers, BODY, tmp_path)
        assert status == 0, printed
        assert json.loads(printed) == json.loads(BODY)


@pytest.mark.parametrize(("headers", "body"), FORGED)
def test_both_refuse_what_is_forged(headers: dict[str, str], body: str, tmp_path: Path) -> None:
    with pytest.raises(WebhookVerificationError):
        in_python({**signed(), **headers}, body)
    status, printed = in_javascript({**signed(), **headers}, body, tmp_path)
    assert status == 1
    assert "not from parlour" in printed or "too old" in printed


def test_its_table_of_types_is_the_codes() -> None:
    assert re.findall(r"^\| `(match\.\w+)` \|", PAGE, re.MULTILINE) == list(webhooks.TYPES)


def test_its_table_of_errors_is_the_codes() -> None:
    code = Path(outbound.__file__).read_text("utf-8") + Path(webhooks.__file__).read_text("utf-8")
    known = set(re.findall(r'Undeliverable\("(\w+)"', code)) | set(re.findall(r'Attempt\(now, None, "(\w+)"', code))
    known |= {"timeout", "no_answer"}
    rows = PAGE.partition("| error | what |")[2]
    assert set(re.findall(r"`(\w+)`(?=[^|]*\|[^|]*\|$)", rows, re.MULTILINE)) == known


def test_its_pauses_are_the_settings() -> None:
    units = {"s": 1, "min": 60, "h": 3600}
    said = PAGE.partition("tried again after ")[2].partition(", each a fifth")[0]
    pauses = [int(number) * units[unit] for number, unit in re.findall(r"(\d+) (s|min|h)\b", said)]
    assert tuple(pauses) == Settings(b"").webhook_retry_s
    assert 20 * 3600 < sum(pauses) < 25 * 3600

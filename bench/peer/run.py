"""parlour and boardgame.io under the same flow: create, join, act, word of it at the other seat, act there.

Each server is one process; the load is one node process for both. boardgame.io keeps its matches in memory and sends
acts and words over one socket; parlour answers over HTTP, sends events as a stream, and every act is in Redis and on
its way to the disk before the answer. Their game is a small one (``server.cjs``), ours is Valente.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MATCHES = (1, 20)
FIGURES = ("acts_per_s", "reads_per_s", "seen_p50_ms", "seen_p99_ms")


def install(folder: Path) -> None:
    """boardgame.io's server as its package.json pins it; needs npm, and a registry that it reaches."""
    for file in ("package.json", "server.cjs", "load.mjs"):
        shutil.copy(HERE / file, folder)
    npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    subprocess.run(npm, cwd=folder, check=True)


def load(folder: Path, which: str, port: int, matches: int, seconds: float) -> dict[str, Any]:
    """One round of the load; its figures."""
    command = ["node", "load.mjs", which, f"http://127.0.0.1:{port}", str(matches), str(seconds)]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, timeout=60 + 4 * seconds)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def compare(parlour: int, other: int, seconds: float, rounds: int) -> list[dict[str, Any]]:
    """Both servers in turn, several rounds over, and the median of each figure."""
    with tempfile.TemporaryDirectory(prefix="parlour-peer-") as name:
        folder = Path(name)
        install(folder)
        server = subprocess.Popen(["node", "server.cjs", str(other)], cwd=folder, stdout=subprocess.PIPE)
        try:
            assert server.stdout is not None
            server.stdout.readline()
            ports = {"parlour": parlour, "boardgame.io": other}
            found: dict[tuple[str, int], list[dict[str, Any]]] = {}
            for _ in range(rounds):
                for matches in MATCHES:
                    for which, port in ports.items():
                        figures = load(folder, which, port, matches, seconds)
                        found.setdefault((which, matches), []).append(figures)
        finally:
            server.terminate()
            server.wait()
    print(f"\n{'':14}{'matches':>8}{'acts/s':>8}{'reads/s':>9}{'seen p50 ms':>13}{'p99 ms':>8}")
    rows = []
    for (which, matches), each in found.items():
        middle = {name: statistics.median(figures[name] for figures in each) for name in FIGURES}
        rows.append({"which": which, "matches": matches, **middle})
        acts, reads, p50, p99 = middle.values()
        print(f"{which:14}{matches:>8}{acts:>8,.0f}{reads:>9,.0f}{p50:>13.2f}{p99:>8.2f}")
    return rows

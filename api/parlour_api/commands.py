"""The server's commands: ``parlour serve``, ``parlour api``, ``parlour worker``, ``parlour openapi``."""

from __future__ import annotations

import argparse
import errno
import fcntl
import json
import logging
import os
import secrets
import socket
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from .supervise import CannotServe, Child, Supervisor

log = logging.getLogger(__name__)

DEFAULT_PORT = 8080
START_S = 120.0
"""How long a part of the service may take to answer: a machine may be slow, and a part that dies is noticed at once."""


def default_data_dir() -> Path:
    """Where ``parlour serve`` keeps its data unless told otherwise."""
    return Path(os.environ.get("XDG_DATA_HOME", "") or Path.home() / ".local" / "share") / "parlour"


def add(commands: Any) -> None:
    """Add the server's commands to the ``parlour`` command."""
    serve = commands.add_parser(
        "serve",
        help="run the whole service: embedded Redis, HTTP API, workers",
        description="Run the whole service until Ctrl-C. With no PARLOUR_REDIS_URL set it starts a private Redis of "
        "its own in the data folder, so matches outlive a restart.",
    )
    _add_address(serve)
    serve.add_argument("--data-dir", type=Path, help=f"folder of the embedded Redis (default {default_data_dir()})")
    serve.add_argument("--api-processes", type=_positive, default=1, help="HTTP processes (default 1)")
    _add_workers(serve)
    serve.set_defaults(run=_serve)

    api = commands.add_parser(
        "api",
        help="run the HTTP API alone",
        description="Run the HTTP API alone. Needs PARLOUR_REDIS_URL and PARLOUR_SECRET, the same for all processes.",
    )
    _add_address(api)
    api.add_argument("--api-processes", type=_positive, default=1, help="HTTP processes (default 1)")
    api.set_defaults(run=_api)

    worker = commands.add_parser(
        "worker",
        help="run house bots and clocks alone",
        description="Run house bots and clocks alone. Needs PARLOUR_REDIS_URL and PARLOUR_SECRET, as the API has them.",
    )
    _add_workers(worker)
    worker.set_defaults(run=_worker)

    document = commands.add_parser(
        "openapi", help="print the OpenAPI document", description="Print the OpenAPI document."
    )
    document.set_defaults(run=_openapi)


def _add_address(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    parser.add_argument(
        "--port", type=_port, default=DEFAULT_PORT, help=f"port, 0 for any free one (default {DEFAULT_PORT})"
    )


def _add_workers(parser: argparse.ArgumentParser) -> None:
    text = "house bot processes (default 1); one more does the clocks, with PARLOUR_API_KEYS one more the webhooks"
    parser.add_argument("--workers", type=_positive, default=1, help=text)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:6]) > 65535:
        raise argparse.ArgumentTypeError("must be a whole number from 0 to 65535")
    return int(text)


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:6]) < 1:
        raise argparse.ArgumentTypeError("must be a whole number from 1")
    return int(text)


def _serve(args: argparse.Namespace) -> int:
    supervisor = Supervisor()
    supervisor.stop_on_signals()
    lock = held = None
    try:
        held = _hold_port(args.host, args.port)
        port = int(held.getsockname()[1])
        if sys.platform != "linux":
            held.close()
        env = dict(os.environ)
        where = "the Redis of PARLOUR_REDIS_URL"
        if not env.get("PARLOUR_REDIS_URL"):
            data_dir: Path = args.data_dir or default_data_dir()
            if env.get("PARLOUR_ACK_REPLICAS", "0") != "0":
                raise CannotServe("PARLOUR_ACK_REPLICAS needs a PARLOUR_REDIS_URL: the embedded Redis has no replicas")
            lock = _lock(data_dir)
            where = str(data_dir)
            env |= _start_redis(supervisor, data_dir)
        env.setdefault("PARLOUR_SECRET", "")
        _check(env)
        supervisor.start(_api_child(args.host, port, args.api_processes, env))
        for child in _worker_children(args.workers, env):
            supervisor.start(child)
        url = _url(args.host, port)
        supervisor.wait_until(lambda: _answers(f"{url}/readyz"), "the service", START_S)
        print(f"parlour is ready at {url}  (API docs: {url}/docs, data: {where}; Ctrl-C stops it)", flush=True)  # noqa: T201
        supervisor.watch()
    except KeyboardInterrupt:
        pass
    finally:
        supervisor.stop()
        for each in (lock, held):
            if each is not None:
                each.close()
    return 0


def _api(args: argparse.Namespace) -> int:
    _check(os.environ)
    port = _free_port(args.host, args.port)
    command = _api_command(args.host, port, args.api_processes)
    print(f"parlour API at {_url(args.host, port)}  (docs: {_url(args.host, port)}/docs)", flush=True)  # noqa: T201
    os.execv(command[0], command)  # noqa: S606 - our own command line


def _worker(args: argparse.Namespace) -> int:
    _check(os.environ)
    supervisor = Supervisor()
    supervisor.stop_on_signals()
    try:
        for child in _worker_children(args.workers, os.environ):
            supervisor.start(child)
        webhooks = ", 1 for webhooks" if os.environ.get("PARLOUR_API_KEYS") else ""
        print(f"parlour worker: {args.workers} for house bots, 1 for clocks{webhooks}", flush=True)  # noqa: T201
        supervisor.watch()
    finally:
        supervisor.stop()
    return 0


def _openapi(_args: argparse.Namespace) -> int:
    print(openapi_text(), end="")  # noqa: T201
    return 0


def openapi_text() -> str:
    """The OpenAPI document as it is committed."""
    from .app import create_app
    from .settings import Settings

    app = create_app(Settings(b"no secret is needed here"))
    with app.app_context():
        document = app.extensions["parlour_openapi"]()
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _check(env: Mapping[str, str]) -> None:
    """Refuse wrong settings and decks before anything starts; right ones also say how this process logs."""
    from . import logs
    from .catalogue import Catalogue
    from .errors import BadSetting
    from .settings import misspelt, read_settings

    try:
        settings = read_settings(env)
        Catalogue(decks=settings.decks)
        _reach("PARLOUR_REDIS_URL", settings.redis_url)
        _reach("PARLOUR_QUEUE_URL", settings.queue_url)
        logs.set_up(settings)
        _count_replicas(settings.redis_url, settings.ack_replicas)
    except BadSetting as error:
        raise CannotServe(str(error)) from None
    for name, meant in misspelt(env).items():
        log.warning("%s is no setting%s", name, f"; did you mean {meant}?" if meant else "")


def _reach(name: str, url: str) -> None:
    """Raise CannotServe unless the Redis at that address answers, and is what the address says."""
    from .connect import read_address

    with _asked(name, url) as client:
        clustered = client.info("cluster")["cluster_enabled"]
    if clustered and read_address(url).kind != "cluster":
        raise CannotServe(f"{name} names a node of a Cluster; for matches it can be redis+cluster://host:port")


def _count_replicas(url: str, wanted: int) -> None:
    """Warn while the Redis of the matches has fewer replicas than a change waits for: it may get them yet."""
    from .connect import read_address

    if wanted and read_address(url).kind != "cluster":  # where each master has its own
        with _asked("PARLOUR_REDIS_URL", url) as client:
            found = client.info("replication")["connected_slaves"]
        if found < wanted:
            log.warning(
                "PARLOUR_ACK_REPLICAS is %d, but the Redis of PARLOUR_REDIS_URL has %d replicas: until it has as many, "
                "changes are answered with 503 not_replicated",
                wanted,
                found,
            )


@contextmanager
def _asked(name: str, url: str) -> Iterator[Any]:
    """The Redis at an address, to be asked something before anything starts; CannotServe if it does not answer."""
    import redis

    from .connect import connect

    try:
        with closing(connect(url)) as client:
            yield client
    except (redis.RedisError, ValueError) as error:
        raise CannotServe(f"{name}: no Redis answers there: {str(error)[:200]}") from None


def _lock(data_dir: Path) -> Any:
    """Hold the data folder for this process; raises CannotServe if another holds it or it cannot be written."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = (data_dir / "lock").open("w")
    except OSError as error:
        raise CannotServe(
            f"the data folder {data_dir} cannot be used: {error.strerror}; choose one with --data-dir"
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise CannotServe(
            f"another parlour serve uses {data_dir}; stop it, or choose another with --data-dir"
        ) from None
    return lock


def _start_redis(supervisor: Supervisor, data_dir: Path) -> dict[str, str]:
    """Start the embedded Redis; the settings that lead to it."""
    import redis

    from .connect import CHECK, connect
    from .embedded import command, find_server, socket_path
    from .errors import BadSetting

    try:
        server = find_server()
    except BadSetting as error:
        raise CannotServe(str(error)) from None
    path = socket_path(data_dir)
    supervisor.start(Child("redis", command(server, data_dir, path), os.environ))
    url = f"unix://{path}"

    def answers() -> bool:
        try:
            with closing(connect(url, CHECK)) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    supervisor.wait_until(answers, "the embedded Redis", START_S)
    return {"PARLOUR_REDIS_URL": url, "PARLOUR_SECRET": os.environ.get("PARLOUR_SECRET") or _kept_secret(data_dir)}


def _kept_secret(data_dir: Path) -> str:
    """The data folder's own deployment secret, made on first use, readable by its owner only."""
    path = data_dir / "secret"
    if not path.exists():
        handle, made = tempfile.mkstemp(dir=data_dir, prefix="secret-")
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(32))
        os.replace(made, path)  # all of it or nothing, however this ends
    secret = path.read_text().strip()
    if not secret:
        raise CannotServe(
            f"{path} is empty; remove it for a new secret, which makes the tokens of old matches worthless"
        )
    return secret


def _api_command(host: str, port: int, processes: int) -> list[str]:
    options = {
        "interface": "wsgi",
        "host": host,
        "port": str(port),
        "workers": str(processes),
        "http": "1",
        "blocking-threads": "1024",
        "backlog": "4096",
        "backpressure": "16384",
        "respawn-interval": "0.2",
        "workers-kill-timeout": "5",
        "log-level": "error",
    }
    return [
        sys.executable, "-m", "granian", "--factory", "--no-ws", "--respawn-failed-workers",
        *(part for name, value in options.items() for part in (f"--{name}", value)),
        "parlour_api.entry:create",
    ]  # fmt: skip


def _api_child(host: str, port: int, processes: int, env: Mapping[str, str]) -> Child:
    return Child("api", _api_command(host, port, processes), env)


def _worker_children(bots: int, env: Mapping[str, str]) -> list[Child]:
    kinds = ["clock"] + ["bots"] * bots + ["webhooks"] * bool(env.get("PARLOUR_API_KEYS"))  # without keys, no webhooks
    return [Child(f"worker ({kind})", [sys.executable, "-m", "parlour_worker", kind], env) for kind in kinds]


def _free_port(host: str, port: int) -> int:
    """The port, once it is sure that nobody listens on it; for 0 a free one."""
    with _hold_port(host, port) as held:
        return int(held.getsockname()[1])


def _hold_port(host: str, port: int) -> socket.socket:
    """A socket that has the port, on which nobody listens, and for 0 a free one.

    While it is open the system gives the port to nobody who asks for any. On Linux a server can listen there beside it.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with ExitStack() as stack:
            probe = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            stack.pop_all()
            return probe
    except (OSError, OverflowError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        option = "--port" if getattr(error, "errno", None) in (errno.EADDRINUSE, errno.EACCES) else "--host"
        raise CannotServe(f"cannot listen on {host} port {port}: {reason}; choose another with {option}") from None


def _url(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - only for the address we print
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def _answers(url: str) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # never by a proxy of the environment
    try:
        with direct.open(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False

"""From an address to a client of Redis: a single server, Sentinel's master or a Cluster, the same to whoever uses it.

| address | what |
|---|---|
| ``redis://[user:password@]host:6379/0``, ``unix:///path`` | one server |
| ``redis+sentinel://[user:password@]host1:26379,host2:26379/<service>/0`` | the master that Sentinel names |
| ``redis+cluster://[user:password@]host1:7000,host2:7001`` | a Cluster; any of its nodes leads to the others |

``rediss`` in place of ``redis`` is TLS. What redis-py takes in a query (``?ssl_ca_certs=...``) goes for every
connection; ``sentinel_username`` and ``sentinel_password`` are for the Sentinels themselves.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field
from queue import Empty
from typing import Any, Literal, cast
from urllib.parse import unquote, urlsplit

import redis
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import BlockingConnectionPool, parse_url
from redis.exceptions import AskError, ReadOnlyError, RedisClusterException, TryAgainError
from redis.retry import Retry
from redis.sentinel import (
    Sentinel,
    SentinelConnectionPool,
    SentinelManagedConnection,
    SentinelManagedSSLConnection,
)

CONNECTIONS = 32
"""Connections that one client opens to a server at most; a command holds one for a tenth of a millisecond."""
WAIT_FOR_CONNECTION_S = 5.0
REDIRECTIONS = 3


@dataclass(frozen=True, slots=True)
class Manner:
    """How a client goes about it. It sends again what was not answered, a write too: writes recognise their repeat."""

    answer_s: float | None
    """How long an answer may take; None: for ever."""
    connect_s: float = 1.0
    retries: int = 0


SHORT = Manner(2.0, retries=4)
"""For commands."""
ONCE = Manner(2.0)
"""For what must not be sent twice, and for listening to a channel."""
CHECK = Manner(0.5, 0.5)
"""For asking whether it is there."""
WORK = Manner(None, retries=10)
"""For an RQ worker, which sets its own time for answers on the pool that it is given."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address, read: what it leads to, and how to connect to each of its servers."""

    kind: Literal["single", "sentinel", "cluster"]
    url: str = field(repr=False)
    hosts: tuple[tuple[str, int], ...] = ()
    service: str = ""
    options: dict[str, Any] = field(default_factory=dict, repr=False)
    """What redis-py takes for one server, but for host and port."""


def read_address(url: str) -> Address:
    """Read an address; raises ValueError saying what one is like."""
    scheme, found, _ = url.partition("://")
    base, _, kind = scheme.partition("+")
    if not found or (base, kind) not in _SCHEMES:
        raise ValueError("it begins with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://")
    if not kind:
        parse_url(url)
        return Address("single", url)
    parts = urlsplit(url)
    credentials, at, hosts = parts.netloc.rpartition("@")
    path = [unquote(part) for part in parts.path.split("/")[1:]]
    service, database = ("", "")
    if kind == "sentinel":
        service, database = (*path, "", "")[:2]
        if not service or len(path) > 2 or not (database or "0").isdigit():
            raise ValueError("it names the service and may name a database: redis+sentinel://host:26379/mymaster/0")
    elif "".join(path):
        raise ValueError("a Cluster has no databases to name: redis+cluster://host1:7000,host2:7001")
    default = 26379 if kind == "sentinel" else 6379
    options = parse_url(f"{base}://{credentials}{at}host/{database}?{parts.query}")
    options.pop("host")
    return Address(cast(Any, kind), url, tuple(_host(each, default) for each in hosts.split(",")), service, options)


_SCHEMES = {(base, kind) for base in ("redis", "rediss") for kind in ("", "sentinel", "cluster")} | {("unix", "")}


def _host(text: str, default: int) -> tuple[str, int]:
    """A host and its port; an IPv6 address stands in brackets."""
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError("it lists hosts with commas between, such as redis+cluster://host1:7000,host2:7001")
    return parts.hostname, parts.port or default


def connect(url: str, manner: Manner = SHORT) -> redis.Redis:
    """A client that threads may share: whoever finds no connection free waits for one, instead of an error.

    It connects at its first command. Whatever then goes wrong is a redis.RedisError, also while a failover lasts. A
    Cluster's client is called the same way, as long as all keys of a command lie in one slot.
    """
    address = read_address(url)
    return _CONNECT[address.kind](address, manner)


def _single(address: Address, manner: Manner) -> redis.Redis:
    return redis.Redis.from_pool(BlockingConnectionPool.from_url(address.url, **_pool_options(manner, manner.retries)))


class _SentinelConnection(SentinelManagedConnection):
    """Closed when a read of it is broken off (by a signal, a job's time limit): redis-py keeps it here, and here only,
    and the next command would get the last one's answer."""

    def read_response(
        self, disable_decoding: bool = False, *, disconnect_on_error: bool | None = True, **more: Any
    ) -> Any:
        return super().read_response(disable_decoding, disconnect_on_error=disconnect_on_error, **more)


class _SentinelTlsConnection(_SentinelConnection, SentinelManagedSSLConnection):
    """The same over TLS."""


class _SentinelPool(SentinelConnectionPool, BlockingConnectionPool):
    """Connections to the master that Sentinel names; whoever finds none free waits for one."""

    def disconnect(self, inuse_connections: bool = True) -> None:
        """Disconnect them all, or those that nobody uses: these are taken out meanwhile. redis-py only looks which they
        are, and at a failover cuts some off under the thread that has just taken them, which then fails anyhow."""
        if inuse_connections:
            super().disconnect()
            return
        idle: list[Any] = []
        with suppress(Empty):
            while True:
                idle.append(self.pool.get_nowait())
        for connection in reversed(idle):  # the last one in is the first one out again
            if connection is not None:
                connection.disconnect()
            self.pool.put_nowait(connection)


class _Sentinels(Sentinel):
    """Sentinels that threads may ask at the same time: redis-py has all of them reorder one list, and may lose one."""

    def discover_master(self, service_name: str) -> Any:
        """The address of the master; who knew it is asked first the next time."""
        mine = copy(self)
        mine.sentinels = list(self.sentinels)
        address = super(_Sentinels, mine).discover_master(service_name)
        self.sentinels = mine.sentinels
        return address


def _sentinel(address: Address, manner: Manner) -> redis.Redis:
    options = dict(address.options)
    asked: dict[str, Any] = {"socket_timeout": 0.5, "socket_connect_timeout": 0.5, "retry": Retry(NoBackoff(), 0)}
    for name in ("username", "password"):
        asked[name] = options.pop(f"sentinel_{name}", None)
    tls = options.pop("connection_class", None) is not None
    if tls:
        asked |= {"ssl": True} | {name: value for name, value in options.items() if name.startswith("ssl_")}
    sentinel = _Sentinels(address.hosts, sentinel_kwargs=asked)
    # A connection tries again by itself, too, so tries multiply.
    options |= _pool_options(manner, manner.retries // 2)
    connection_class = _SentinelTlsConnection if tls else _SentinelConnection
    pool = _SentinelPool(address.service, sentinel, connection_class=connection_class, **options)
    return redis.Redis.from_pool(pool)


def _cluster(address: Address, manner: Manner) -> redis.Redis:
    return cast(redis.Redis, Cluster(address, manner))


_CONNECT: dict[str, Callable[[Address, Manner], redis.Redis]] = {
    "single": _single,
    "sentinel": _sentinel,
    "cluster": _cluster,
}


def _pool_options(manner: Manner, retries: int) -> dict[str, Any]:
    # A server that has become a replica refuses to write: connect again, its name may lead to another one now.
    return {
        **_connection_options(manner),
        "retry": Retry(
            ExponentialBackoff(cap=0.3, base=0.02),
            retries,
            (redis.ConnectionError, redis.TimeoutError, ReadOnlyError),
        ),
    }


def _connection_options(manner: Manner) -> dict[str, Any]:
    return {
        "max_connections": CONNECTIONS,
        "timeout": WAIT_FOR_CONNECTION_S,
        "socket_timeout": manner.answer_s,
        "socket_connect_timeout": manner.connect_s,
    }


class Cluster:
    """A Cluster's client: it joins at the first command, and what goes wrong is a RedisError as everywhere else."""

    def __init__(self, address: Address, manner: Manner) -> None:
        self._address = address
        self._manner = manner
        self._lock = threading.Lock()
        self._client: RedisCluster | None = None

    def _joined(self) -> RedisCluster:
        if self._client is not None:
            return self._client
        if not self._lock.acquire(timeout=WAIT_FOR_CONNECTION_S):
            raise redis.TimeoutError("the Cluster could not be joined")
        try:
            if self._client is None:
                (host, port), *others = self._address.hosts
                self._client = RedisCluster(
                    url=f"redis://{f'[{host}]' if ':' in host else host}:{port}",  # without one, pools do not block
                    startup_nodes=[ClusterNode(*each) for each in others],
                    retry=Retry(NoBackoff(), self._manner.retries),
                    connection_pool_class=BlockingConnectionPool,
                    **self._address.options,
                    **_connection_options(self._manner),
                )
            return self._client
        finally:
            self._lock.release()

    def __getattr__(self, name: str) -> Any:
        """A command."""

        def call(*args: Any, **options: Any) -> Any:
            with _redis_errors():
                return getattr(self._joined(), name)(*args, **options)

        return call

    def pipeline(self, transaction: bool = False) -> Any:
        """Commands in one round trip to each node that they concern; never a transaction."""
        assert not transaction
        with _redis_errors():
            pipe = self._joined().pipeline()
        execute = pipe.execute

        def execute_here() -> list[Any]:
            with _redis_errors():
                return execute()

        pipe.execute = execute_here
        return pipe

    def pubsub(self) -> Any:
        """A reader of channels, at any node: all hear the same."""
        with _redis_errors():
            return self._node(random.choice(self._joined().get_nodes())).pubsub()

    def node_of(self, key: str) -> redis.Redis:
        """A client of the one node that holds a key now."""
        with _redis_errors():
            return self._node(self._joined().get_node_from_key(key))

    def _node(self, node: Any) -> redis.Redis:
        return cast(redis.Redis, self._joined().get_redis_connection(node))

    def close(self) -> None:
        """Close its connections."""
        if self._client is not None:
            self._client.close()


@contextmanager
def _redis_errors() -> Iterator[None]:
    """A Cluster's own exceptions are no RedisErrors in redis-py; here they are."""
    try:
        yield
    except RedisClusterException as error:
        raise redis.ConnectionError(str(error)) from error


def on_one_connection(client: redis.Redis, key: str, commands: Sequence[Sequence[Any]]) -> list[Any]:
    """The answers to commands that all go over one connection, to whoever holds the key now. Raises their first error.

    What is sent may be sent again, whole: after a lost connection, and after a Cluster's redirection.
    """
    for left in reversed(range(REDIRECTIONS)):
        node = client.node_of(key) if isinstance(client, Cluster) else client
        pipe = node.pipeline(transaction=False)
        for command in commands:
            pipe.execute_command(*command)
        try:
            answers = pipe.execute(raise_on_error=False)
            for answer in answers:
                if isinstance(answer, redis.RedisError):
                    raise answer
            return answers
        except (AskError, TryAgainError, redis.ConnectionError, redis.TimeoutError):
            if not left or node is client:
                raise
            client.exists(key)  # follows a redirection, or looks for the nodes anew, and the client remembers
    raise AssertionError("unreachable")

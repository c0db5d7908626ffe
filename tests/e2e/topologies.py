"""Redis in every shape that the service can live on, on this machine's loopback, from one server binary."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import redis
from parlour_api.embedded import command

from tests.support import free_ports, until

HOST = "127.0.0.1"
SERVICE = "cards"
PASSWORD = "s@cret"
LOGIN = f":{quote(PASSWORD)}@"
DOWN_AFTER_MS = 5000
"""Sentinels promote no replica that lost its master more than ten times as long before they knew. One that stood still
for two seconds does nothing for half a minute: with less than this, nobody would ever be promoted after that."""


@dataclass
class Topology:
    """Redis servers that run, the settings that lead to them, and what can happen to them."""

    settings: dict[str, str]
    fail_over: Callable[[], None] | None = None
    """Have a master die, and with it what its replicas do not know; None: there is nobody to take its place."""


@contextmanager
def running(command: Sequence[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server for the length of a ``with``, ended by its pid."""
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class Servers:
    """Starts servers of one binary, each in a folder of its own, and ends them all."""

    def __init__(self, binary: str, folder: Path, held: ExitStack) -> None:
        self.binary = binary
        self._folder = folder
        self._held = held

    def folder(self, name: str) -> Path:
        made = self._folder / name
        made.mkdir()
        return made

    def start(self, port: int, **options: str) -> subprocess.Popen[bytes]:
        """A server on a port of the loopback, once it answers."""
        given = {"bind": HOST, "port": str(port), "save": "", "repl-diskless-sync-delay": "0"}
        given |= {"requirepass": PASSWORD, "masterauth": PASSWORD, **options}
        parts = [part for name, value in given.items() for part in (f"--{name.replace('_', '-')}", value)]
        process = self._held.enter_context(running([self.binary, *parts], self.folder(str(port))))
        until(at(port).ping)
        return process

    def start_sentinel(self, port: int, master: int) -> None:
        """A Sentinel that watches a master; its configuration is a file that it writes to itself."""
        folder = self.folder(str(port))
        (folder / "sentinel.conf").write_text(
            f"bind {HOST}\nport {port}\nrequirepass {PASSWORD}\n"
            f"sentinel monitor {SERVICE} {HOST} {master} 2\n"
            f"sentinel auth-pass {SERVICE} {PASSWORD}\nsentinel sentinel-pass {PASSWORD}\n"
            f"sentinel down-after-milliseconds {SERVICE} {DOWN_AFTER_MS}\n"
            f"sentinel failover-timeout {SERVICE} 3000\n"
            f"sentinel parallel-syncs {SERVICE} 2\n"
        )
        self._held.enter_context(running([self.binary, str(folder / "sentinel.conf"), "--sentinel"], folder))
        until(at(port).ping)

    def start_embedded(self) -> str:
        """A server as ``parlour serve`` starts one; its address."""
        folder = self.folder("embedded")
        path = folder / "redis.sock"
        self._held.enter_context(running(command(self.binary, folder, path), folder))
        until(redis.Redis.from_url(f"unix://{path}").ping)
        return f"unix://{path}"


def at(port: int) -> redis.Redis:
    """A client of one server."""
    return redis.Redis(HOST, port, password=PASSWORD, socket_timeout=2)


def kill_in_the_worst_moment(process: subprocess.Popen[bytes], master: int, replicas: Sequence[int]) -> None:
    """SIGKILL to a master that has gone on for a while, and whose replicas have heard nothing of that."""
    for port in replicas:
        at(port).config_set("masterauth", "not the password")
    at(master).config_set("min-replicas-to-write", 0)  # it would count them for another ten seconds
    at(master).execute_command("CLIENT KILL TYPE replica")
    time.sleep(0.5)
    process.send_signal(signal.SIGKILL)
    for port in replicas:
        at(port).config_set("masterauth", PASSWORD)


def embedded(servers: Servers) -> Topology:
    """A private server on a Unix socket."""
    return Topology({"PARLOUR_REDIS_URL": servers.start_embedded()})


def tcp(servers: Servers) -> Topology:
    """One server on a port."""
    (port,) = free_ports(1)
    servers.start(port)
    return Topology({"PARLOUR_REDIS_URL": f"redis://{LOGIN}{HOST}:{port}/0"})


def sentinel(servers: Servers) -> Topology:
    """A master, two replicas and three Sentinels, which take some seconds to replace a master that is gone."""
    ports = free_ports(6)
    (master, *replicas), sentinels = ports[:3], ports[3:]
    process = servers.start(master, min_replicas_to_write="1")
    for port in replicas:
        servers.start(port, replicaof=f"{HOST} {master}", min_replicas_to_write="1")
    until(lambda: at(master).info("replication")["min_slaves_good_slaves"] == 2)
    for port in sentinels:
        servers.start_sentinel(port, master)

    def ready(port: int) -> bool:
        seen = at(port).sentinel_masters()[SERVICE]
        return bool(seen["num-slaves"] == 2 and seen["num-other-sentinels"] == 2)

    for port in sentinels:
        until(lambda port=port: ready(port))
    hosts = ",".join(f"{HOST}:{port}" for port in sentinels)
    url = f"redis+sentinel://{LOGIN}{hosts}/{SERVICE}/0?sentinel_password={quote(PASSWORD)}"
    settings = {"PARLOUR_REDIS_URL": url, "PARLOUR_ACK_REPLICAS": "1"}
    return Topology(settings, lambda: kill_in_the_worst_moment(process, master, replicas))


def cluster(servers: Servers) -> Topology:
    """Three masters for the matches, the first with two replicas, the others with one; one server for the queue."""
    queue, *ports = free_ports(15)
    nodes, buses = ports[:7], ports[7:]
    processes = {
        node: servers.start(
            node, cluster_enabled="yes", cluster_port=str(bus), cluster_replica_validity_factor="0",
        )
        for node, bus in zip(nodes, buses, strict=True)
    }  # fmt: skip
    servers.start(queue)
    masters, replicas = nodes[:3], nodes[3:]
    first, first_two = masters[0], replicas[:2]
    for part, master in enumerate(masters):
        slots = 16384 * part // 3, 16384 * (part + 1) // 3 - 1
        at(master).execute_command("CLUSTER ADDSLOTSRANGE", *slots)
    for node, bus in zip(nodes[1:], buses[1:], strict=True):
        at(nodes[0]).execute_command("CLUSTER MEET", HOST, node, bus)
    until(lambda: all(_known(node) == 7 for node in nodes))
    for replica, master in zip(replicas, (first, *masters), strict=True):
        name = at(master).execute_command("CLUSTER MYID")
        until(lambda replica=replica, name=name: at(replica).execute_command("CLUSTER REPLICATE", name))
    until(lambda: all(at(node).execute_command("CLUSTER INFO")["cluster_state"] == "ok" for node in nodes))
    until(lambda: sum(at(node).info("replication")["connected_slaves"] for node in masters) == 4)
    hosts = ",".join(f"{HOST}:{node}" for node in nodes)
    settings = {
        "PARLOUR_REDIS_URL": f"redis+cluster://{LOGIN}{hosts}",
        "PARLOUR_QUEUE_URL": f"redis://{LOGIN}{HOST}:{queue}/0",
        "PARLOUR_ACK_REPLICAS": "1",
    }

    def fail_over() -> None:
        for node in nodes:  # until now nobody is replaced because the machine stood still
            at(node).config_set("cluster-node-timeout", 1000)
        kill_in_the_worst_moment(processes[first], first, first_two)

    return Topology(settings, fail_over)


def _known(node: int) -> int:
    return int(at(node).execute_command("CLUSTER INFO")["cluster_known_nodes"])


TOPOLOGIES = {"embedded": embedded, "tcp": tcp, "sentinel": sentinel, "cluster": cluster}


@contextmanager
def topology(name: str, binary: str, folder: Path) -> Iterator[Topology]:
    """One of TOPOLOGIES for the length of a ``with``."""
    with ExitStack() as held:
        yield TOPOLOGIES[name](Servers(binary, folder, held))

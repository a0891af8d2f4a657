# SPDX-License-Identifier: Apache-2.0
"""`packetwarp rdma-bw` and `rdma-lat` with --transport shm: two processes that map each other's memory, and the lines of refusals."""
from __future__ import annotations

import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time
from typing import Any

import pytest
from harness import DONE, FAILED, WRONG_USAGE, end_with_the_tests
from namespaces import wait_for

SECONDS = 60
GONE = ("has closed the connection: its own output says why", "has gone", "the peer has ended: its own output says why", "has ended too early")


class Pair:
    """A server and a client on this machine."""

    def __init__(self, binary: pathlib.Path, folder: pathlib.Path) -> None:
        self._binary, self._folder = binary, folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def start(self, command: str, role: str, *words: str, transport: str = "shm") -> subprocess.Popen[str]:
        argv = [self._binary, command, "--transport", transport, "-p", str(self.port), "--json", str(self._folder / f"{role}.json"), *words]
        return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self._folder, preexec_fn=end_with_the_tests)

    def server(self, command: str, *words: str) -> subprocess.Popen[str]:
        """Once it listens."""
        process = self.start(command, "server", *words)
        assert process.stdout is not None
        assert process.stdout.readline() == f"waiting for a client on TCP port {self.port}\n"
        return process

    def run(self, command: str, server_words: tuple[str, ...], client_words: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any], str, str]:
        """The results of server and client, and their output."""
        server = self.server(command, *server_words)
        said = [self._end(self.start(command, "client", *client_words, "127.0.0.1")), self._end(server)]
        return self.made("server"), self.made("client"), said[1], said[0]

    def made(self, role: str) -> dict[str, Any]:
        """The JSON of an end."""
        return json.loads((self._folder / f"{role}.json").read_text())

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> str:
        said, errors = process.communicate(timeout=SECONDS)
        assert (process.returncode, errors) == (DONE, "")
        return said


@pytest.fixture
def pair(binary, tmp_path) -> Pair:
    return Pair(binary, tmp_path)


@pytest.mark.parametrize("size, queues", [(1, 1), (64, 1), (4096, 4), (100_000, 2), (64, 128), (8 << 20, 1)])
def test_every_byte_of_a_client_arrives(pair, size, queues):
    words = ("-s", str(size), "-q", str(queues))
    server, client, said, _ = pair.run("rdma-bw", (*words, "--validate"), (*words, "-n", "3", "--posts", "40"))
    writes = 3 * 40 * queues
    assert (server["told"]["bytes"], server["told"]["iterations"]) == (size, writes)
    assert server["counters"] == {}, "a server of rdma-bw writes nothing"
    counters = client["counters"]
    assert (counters.pop("writes"), counters.pop("bytes"), counters.pop("completions")) == (writes, writes * size, 3 * queues)
    assert 1 <= counters.pop("doorbells") <= 3 * queues
    assert set(counters.values()) == {0}, "errors and overruns"
    assert server["checked_bytes"] == queues * size * min(120, max(1, 4096 // size))
    assert said.splitlines()[-1].endswith(" of the target checked, all right")


def test_every_byte_arrives_if_both_ends_write(pair):
    words = ("-s", "1000", "-q", "3", "-b", "--validate", "-n", "5", "--posts", "24")
    made = pair.run("rdma-bw", words, words)
    for own, said in ((made[0], made[2]), (made[1], made[3])):
        assert (own["both_ways"], own["told"]["iterations"], own["counters"]["writes"]) == (True, 360, 360)
        assert own["checked_bytes"] == 3 * 4000
        assert said.splitlines()[-1].endswith(" of the target checked, all right")


def test_the_tables_are_those_of_a_network(pair):
    server, client, said_by_server, said = pair.run("rdma-bw", ("-q", "2"), ("-n", "2", "--posts", "10", "-q", "2"))
    assert [one["bytes"] for one in client["results"]] == [64, 128, 256, 512, 1024, 2048, 4096]
    for made, role in ((server, "server"), (client, "client")):
        assert (made["transport"], made["role"], made["initiator"], made["payload"], made["peer_version"]) == ("shm", role, "cpu", "host", "6.06")
        assert "mtu" not in made, "there are no packets"
    lines = said.splitlines()
    assert lines[0] == f"RDMA write bandwidth: transport shm, writing to 127.0.0.1:{pair.port} (exchange 6.06), 2 queues, 10 writes per iteration"
    assert " #bytes     post[us]       commit[us]     flush[us]" in lines
    assert lines[-1].startswith(f"engine: {7 * 2 * 10 * 2} writes, ")
    assert said_by_server.splitlines()[-2].split()[:2] == ["4096", "40"]


def test_latencies_are_halves_of_round_trips(pair):
    server, client, _, said = pair.run("rdma-lat", ("-s", "64", "-n", "100"), ("-s", "64", "-n", "100"))
    for made in (server, client):
        [result] = made["results"]
        assert 0 < result["min_us"] <= result["typical_us"] <= result["p99_us"] <= result["p999_us"] <= result["max_us"]
        assert (made["transport"], made["counters"]["writes"]) == ("shm", 100)
        assert "mtu" not in made
    assert "t_typical[usec]" in said
    assert said.splitlines()[0] == f"RDMA write latency: transport shm, client of 127.0.0.1:{pair.port} (exchange 6.06)"


def test_all_sizes_follow_each_other(pair):
    server, client, _, _ = pair.run("rdma-lat", ("-s", "all", "-n", "3"), ("-s", "all", "-n", "3"))
    for made in (server, client):
        assert [one["bytes"] for one in made["results"]] == [2 << n for n in range(23)]
        assert made["counters"]["writes"] == 3 * 23


@pytest.mark.parametrize("leaves", ["server", "client"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("command, words", [("rdma-bw", ("-s", "4096", "-q", "4")), ("rdma-lat", ("-s", "64"))])
def test_an_end_that_leaves_takes_nothing_from_the_other(pair, leaves, how, command, words):
    more = ("-n", "100000000")
    server = pair.server(command, *words, *(more if command == "rdma-lat" else ()))
    client = pair.start(command, "client", *words, *more, "127.0.0.1")
    for end in (client, server):
        assert end.stdout is not None
        assert end.stdout.readline() != ""  # it has met the other end
    time.sleep(0.1)  # writes are under way
    first, second = (server, client) if leaves == "server" else (client, server)
    first.send_signal(how)
    errors = {end: end.communicate(timeout=SECONDS)[1] for end in (first, second)}
    if (command, leaves, how) == ("rdma-bw", "client", signal.SIGTERM) and "before the first iteration ended" not in errors[first]:
        assert (first.returncode, second.returncode) == (DONE, DONE), errors  # the result so far is told
        return
    assert first.returncode == (-signal.SIGKILL if how == signal.SIGKILL else FAILED), errors[first]
    assert second.returncode == FAILED, errors[second]
    [line] = errors[second].splitlines()
    assert line.startswith("packetwarp: error: rdma"), line
    assert any(said in line for said in GONE), line


LONG = ("-q", "8", "-s", "8m", "--posts", "16384")  # an iteration moves a TiB


def wait_for_engine(client: subprocess.Popen[str]) -> None:
    """Until writes are under way: the engine has a thread, beside main's and the watch's."""
    wait_for(lambda: len(os.listdir(f"/proc/{client.pid}/task")) == 3, "the engine's thread")
    time.sleep(0.3)


@pytest.mark.parametrize("queues", ["1", "8"])
def test_a_second_signal_ends_a_client_amid_its_writes(pair, queues):
    words = ("-q", queues, *LONG[2:])
    server = pair.server("rdma-bw", *words)
    client = pair.start("rdma-bw", "client", *words, "127.0.0.1")
    assert client.stdout is not None
    assert "writing to" in client.stdout.readline()
    wait_for_engine(client)
    client.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert client.poll() is None, "the first signal drains what is in flight"
    client.send_signal(signal.SIGTERM)
    errors = client.communicate(timeout=5)[1]
    assert (client.returncode, errors) == (FAILED, "packetwarp: error: rdma: interrupted while writes were under way\n")
    assert server.wait(timeout=SECONDS) == FAILED


def test_a_killed_server_is_seen_at_once_amid_writes(pair):
    server = pair.server("rdma-bw", *LONG)
    client = pair.start("rdma-bw", "client", *LONG, "127.0.0.1")
    assert client.stdout is not None
    assert "writing to" in client.stdout.readline()
    wait_for_engine(client)
    server.kill()
    errors = client.communicate(timeout=5)[1]
    assert (client.returncode, errors) == (FAILED, "packetwarp: error: rdma: the peer has ended: its own output says why\n")


def test_an_end_that_stands_still_is_written_to_all_the_same(pair):
    server = pair.server("rdma-bw", "-s", "4096", "--validate")
    client = pair.start("rdma-bw", "client", "-s", "4096", "-n", "2000", "127.0.0.1")
    assert client.stdout is not None
    assert "writing to" in client.stdout.readline()
    server.send_signal(signal.SIGSTOP)
    while not (line := client.stdout.readline()).startswith(" 4096 "):  # the client's result: only telling it needs the server
        assert line != ""
    server.send_signal(signal.SIGCONT)
    errors = {end: end.communicate(timeout=SECONDS)[1] for end in (client, server)}
    assert (client.returncode, server.returncode) == (DONE, DONE), errors


@pytest.mark.parametrize("command", ["rdma-bw", "rdma-lat"])
def test_a_server_does_not_wait_on_a_port_that_is_in_use(pair, command):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", pair.port))
        listener.listen(1)
        said, errors = pair.start(command, "server", "-s", "64").communicate(timeout=SECONDS)
    assert (said, errors) == ("", f"packetwarp: error: rdma: 0.0.0.0:{pair.port} cannot be listened on: Address already in use; -p takes another port\n")


def test_a_peer_of_another_transport_is_one_line(pair):
    """A perftest, as its exchange goes: its GID is a network's."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", pair.port))
        listener.listen(1)
        server = threading.Thread(target=answer_as_perftest, args=(listener,), daemon=True)
        server.start()
        client = pair.start("rdma-bw", "client", "-s", "64", "127.0.0.1")
        said, errors = client.communicate(timeout=SECONDS)
        server.join(SECONDS)
    assert (client.returncode, said) == (FAILED, "")
    assert errors.splitlines() == ["packetwarp: error: rdma: the peer shares no memory: both ends need --transport shm of packetwarp"]


def answer_as_perftest(listener: socket.socket) -> None:
    """The server's side of ib_write_bw's exchange, with one queue: each message answers one of the same length."""
    connection, _ = listener.accept()
    gid = "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:09:00:01"
    key = f"0000:0001:000011:000022:00000033:0000000000001000:{gid}:00000000:".encode().ljust(108, b"\0")
    with connection, connection.makefile("rwb") as stream:
        for message in (b"6.06".ljust(16, b"\0"), (4096).to_bytes(4, "big"), (64).to_bytes(4, "big"), b"3\0", key, key):
            if len(stream.read(len(message))) != len(message):
                return
            stream.write(message)
            stream.flush()
        stream.read()


@pytest.mark.parametrize("command", ["rdma-bw", "rdma-lat"])
@pytest.mark.parametrize("words, line", [
    (("--address", "10.9.0.1"), "--address goes with --transport roce: the ends of --transport shm meet on this machine, and -p names the TCP port"),
    (("-m", "1024"), "-m goes with --transport roce, verbs or mlx5: --transport shm sends no packets"),
    (("-u", "14"), "-u goes with --transport roce, verbs or mlx5: --transport shm sends no packets"),
    (("--retries", "7"), "--retries goes with --transport roce, verbs or mlx5: --transport shm sends no packets"),
    (("-d", "mlx5_0"), "-d goes with --transport verbs or mlx5: --transport shm has no device"),
    (("-x", "3"), "-x goes with --transport verbs or mlx5: --transport shm has no device"),
    (("--payload", "gpu"), "--payload gpu does not go with --transport shm, whose ends share host memory: give --payload host, or --transport roce or mlx5"),
    (("--frames", "gpu"), "--frames gpu goes with --transport roce and --payload gpu: give these, or --frames host"),
    (("-g", "0"), "-g goes with GPUs: give --initiator gpu, too"),
    (("--target-gpu", "1"), "--target-gpu goes with --transport gpu or store: --transport shm writes to no GPU"),
])
def test_a_wrong_request_is_one_line(binary, command, words, line):
    done = subprocess.run([binary, command, "--transport", "shm", *words], capture_output=True, text=True, check=False, timeout=SECONDS)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert done.stderr.splitlines() == [f"packetwarp: error: {line}"]


def test_validate_is_the_servers(binary):
    done = subprocess.run([binary, "rdma-bw", "--transport", "shm", "--validate", "127.0.0.1"], capture_output=True, text=True, check=False, timeout=SECONDS)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert done.stderr.splitlines() == ["packetwarp: error: --validate is the server's: it compares its memory with the pattern of a packetwarp client; with -b either end can"]

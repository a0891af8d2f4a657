# SPDX-License-Identifier: Apache-2.0
"""`packetwarp rdma-bw` and `rdma-lat` with --transport roce: two processes, joined by memif, and the lines of refusals."""
from __future__ import annotations

import json
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from harness import DONE, FAILED, WRONG_USAGE, end_with_the_tests
from test_rdma_shm import answer_as_perftest

EAL = ("--in-memory", "--no-telemetry", "--lcores", "0")
SECONDS = 60


class Pair:
    """A server and a client, each with an end of a memif."""

    def __init__(self, binary: pathlib.Path, folder: pathlib.Path) -> None:
        self._binary, self._folder = binary, folder
        # The roles of the ends of the memif: either end of rdma-bw may be either end of the memif.
        self.role_of = {"server": "server", "client": "client"}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def start(self, command: str, role: str, address: str, *words: str) -> subprocess.Popen[str]:
        if self.role_of[role] == "server":
            (self._folder / "memif").unlink(missing_ok=True)  # of an end that was killed
        wire = f"net_memif0,role={self.role_of[role]},socket={self._folder}/memif,socket-abstract=no"
        argv = [self._binary, command, *EAL, "--vdev", wire, "--", "--transport", "roce", "--address", address, "-p", str(self.port),
                "--json", str(self._folder / f"{role}.json"), *words]
        return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self._folder, preexec_fn=end_with_the_tests)

    def wait_for_socket(self) -> None:
        """An end with the client's role needs the other end's socket at once."""
        until = time.monotonic() + SECONDS
        while not (self._folder / "memif").exists() and time.monotonic() < until:
            time.sleep(0.05)

    def server(self, command: str, *words: str) -> subprocess.Popen[str]:
        """Once it listens."""
        process = self.start(command, "server", "10.9.0.1", *words)
        assert process.stdout is not None
        assert process.stdout.readline() == f"waiting for a client on TCP port {self.port}\n"
        return process

    def run(self, command: str, server_words: tuple[str, ...], client_words: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any], str, str]:
        """The results of server and client, and their output."""
        server = self.server(command, *server_words)
        said = [self._end(self.start(command, "client", "10.9.0.2", *client_words, "127.0.0.1")), self._end(server)]
        return self.made("server"), self.made("client"), said[1], said[0]

    def made(self, role: str) -> dict[str, Any]:
        """The JSON of an end."""
        return json.loads((self._folder / f"{role}.json").read_text())

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> str:
        said, errors = process.communicate(timeout=SECONDS)
        assert process.returncode == DONE, errors
        return said


@pytest.fixture
def pair(binary) -> Iterator[Pair]:
    # The path of a memif's socket has up to 107 bytes.
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        yield Pair(binary, pathlib.Path(folder))


@pytest.mark.parametrize("size, queues, mtu", [(64, 1, 1024), (4096, 4, 512), (100_000, 2, 1024), (1, 64, 256)])
def test_every_byte_of_a_client_arrives(pair, size, queues, mtu):
    words = ("-s", str(size), "-q", str(queues))
    server, client, said, _ = pair.run("rdma-bw", (*words, "--validate"), (*words, "-m", str(mtu), "-n", "3", "--posts", "40"))
    writes = 3 * 40 * queues
    assert server["mtu"] == client["mtu"] == mtu
    assert (server["told"]["bytes"], server["told"]["iterations"]) == (size, writes)
    assert server["counters"]["messages_executed"] == writes
    assert server["counters"]["packets_executed"] == client["counters"]["packets_sent"] - client["counters"]["packets_sent_again"] == writes * -(-size // mtu)
    assert server["checked_bytes"] > 0
    assert "of the target checked, all right" in said


@pytest.mark.parametrize("size, queues, mtu", [(64, 1, 1024), (4096, 4, 512), (100_000, 2, 1024)])
def test_every_byte_arrives_if_both_ends_write(pair, size, queues, mtu):
    words = ("-s", str(size), "-q", str(queues), "-m", str(mtu), "-b", "--validate", "-n")
    made = pair.run("rdma-bw", (*words, "3", "--posts", "40"), (*words, "5", "--posts", "24"))
    writes = 120 * queues
    for own, said in ((made[0], made[2]), (made[1], made[3])):
        assert own["both_ways"] is True
        assert (own["told"]["bytes"], own["told"]["iterations"]) == (size, writes)
        assert own["checked_bytes"] == queues * size * min(120, max(1, 4096 // size))
        counters = own["counters"]
        assert counters["messages_executed"] == writes
        assert counters["packets_executed"] == counters["packets_sent"] - counters["packets_sent_again"] == writes * -(-size // mtu)
        sums = next(line for line in said.splitlines() if line.split()[:1] == [str(size)])
        assert float(sums.split()[3]) == pytest.approx(
            own["results"][0]["average_bytes_per_second"] / 2**20 + own["told"]["average_mib_per_second"], abs=0.02)


ADVICE = ": give both ends -b and the same -s"


@pytest.mark.parametrize("server, client, lines", [
    (("-b", "-s", "64"), ("-b", "-s", "128"), {"server": ADVICE, "client": ADVICE}), (("-s", "64"), ("-b", "-s", "64"), {"client": ADVICE}),
    (("-b", "-s", "128"), ("-s", "64"), {"server": ADVICE, "client": "its own output says why"}),
    (("-b", "-s", "64"), ("-s", "64"), {"server": ADVICE, "client": "its own output says why"})])
def test_ends_that_differ_about_both_ways_are_one_clear_line(pair, server, client, lines):
    process = pair.server("rdma-bw", *server, "-n", "1", "--posts", "8")
    ends = {"client": pair.start("rdma-bw", "client", "10.9.0.2", *client, "-n", "1", "--posts", "8", "127.0.0.1"), "server": process}
    for role, end in ends.items():
        errors = end.communicate(timeout=SECONDS)[1]
        if role in lines:
            assert end.returncode == FAILED
            assert errors.splitlines()[-1].endswith(lines[role]), errors
        else:
            assert end.returncode == DONE, errors


def test_a_user_who_stops_an_end_that_writes_both_ways_gets_what_it_wrote(pair):
    words = ("-b", "-s", "64", "-n", "1000000000", "--posts", "8")
    server = pair.server("rdma-bw", *words)
    client = pair.start("rdma-bw", "client", "10.9.0.2", *words, "127.0.0.1")
    for process in (client, server):
        assert process.stdout is not None
        assert "written by" in next(line for line in process.stdout if "RDMA write" in line)
    time.sleep(0.5)
    for process in (client, server):
        process.send_signal(signal.SIGINT)
    for process in (client, server):
        errors = process.communicate(timeout=SECONDS)[1]
        assert process.returncode == DONE, errors
    for role, other in (("server", "client"), ("client", "server")):
        own, peer = pair.made(role), pair.made(other)
        assert own["told"]["iterations"] == 8 * peer["results"][0]["iterations"] == own["counters"]["messages_executed"] > 0


def test_a_client_has_a_line_per_size_and_its_losses_below(pair):
    _, client, _, said = pair.run("rdma-bw", (), ("-n", "2", "--posts", "10"))
    assert [one["bytes"] for one in client["results"]] == [64, 128, 256, 512, 1024, 2048, 4096]
    assert "post[us]" in said
    assert f"packets: {client['counters']['packets_sent']} sent, " in said


def test_latencies_are_halves_of_round_trips(pair):
    server, client, _, said = pair.run("rdma-lat", ("-s", "64", "-n", "100"), ("-s", "64", "-n", "100"))
    for made in (server, client):
        [result] = made["results"]
        assert 0 < result["min_us"] <= result["typical_us"] <= result["p99_us"] <= result["p999_us"] <= result["max_us"]
        assert made["counters"]["messages_executed"] == 100
    assert "t_typical[usec]" in said


def test_a_user_who_stops_while_a_peer_is_asked_for_its_mac_address_is_told_so(binary, pair):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", pair.port))
        listener.listen(1)
        threading.Thread(target=answer_as_perftest, args=(listener,), daemon=True).start()
        client = subprocess.Popen([binary, "rdma-bw", *EAL, "--vdev", "net_null0", "--", "--transport", "roce", "--address", "10.9.0.2",
                                   "-p", str(pair.port), "-s", "64", "127.0.0.1"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=end_with_the_tests)
        time.sleep(2)  # the keys are told, and 10.9.0.1 is asked for 5 s
        client.send_signal(signal.SIGINT)
        errors = client.communicate(timeout=SECONDS)[1]
    assert client.returncode == FAILED
    assert errors.splitlines()[-1] == "packetwarp: error: rdma: interrupted while 10.9.0.1 was asked for its MAC address"


def test_all_sizes_follow_each_other(pair):
    server, client, _, _ = pair.run("rdma-lat", ("-s", "all", "-n", "3"), ("-s", "all", "-n", "3"))
    for made in (server, client):
        assert [one["bytes"] for one in made["results"]] == [2 << n for n in range(23)]
        assert made["counters"]["messages_executed"] == 3 * 23


def test_one_round_trip_has_no_time_between_two(binary):
    done = subprocess.run([binary, "rdma-lat", "--transport", "verbs", "-n", "1"], capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == WRONG_USAGE
    assert done.stderr.splitlines()[-1].startswith("packetwarp: error: -n: 1 is out of range; allowed are 2 to "), done.stderr


def test_a_client_that_is_killed_is_one_clear_line(pair):
    server = pair.server("rdma-bw", "-s", "64")
    client = pair.start("rdma-bw", "client", "10.9.0.2", "-s", "64", "-n", "1000000", "127.0.0.1")
    assert client.stdout is not None
    assert "writing to" in client.stdout.readline()
    client.kill()
    client.communicate(timeout=SECONDS)
    errors = server.communicate(timeout=SECONDS)[1]
    assert server.returncode == FAILED
    assert "has closed the connection: its own output says why" in errors.splitlines()[-1] or "has gone" in errors.splitlines()[-1]


def counters_of_a_failure(pair: Pair, role: str, said: str, line: str) -> dict[str, int]:
    """The counters in the JSON of an end that has failed, after a look at the JSON and the end's text."""
    made = pair.made(role)
    assert (made["role"], made["results"], "packetwarp: error: " + made["error"]) == (role, [], line)
    assert f"packets: {made['counters']['packets_sent']} sent, " in said
    return made["counters"]


def test_ends_that_fail_tell_their_counters_and_the_one_that_refused_says_so(pair):
    server = pair.server("rdma-bw", "-s", "64")
    client = pair.start("rdma-bw", "client", "10.9.0.2", "-s", "131072", "-n", "1", "--posts", "8", "127.0.0.1")
    lines, counters = {}, {}
    for role, end in (("client", client), ("server", server)):
        said, errors = end.communicate(timeout=SECONDS)
        assert end.returncode == FAILED
        lines[role] = errors.splitlines()[-1]
        counters[role] = counters_of_a_failure(pair, role, said, lines[role])
    assert lines["server"].endswith("its own output says why; this end refused a write beyond its -s: give both ends the same -s")
    assert lines["client"].endswith("remote access error")
    assert (counters["server"]["remote_access_errors"], counters["client"]["fatal_naks_received"]) == (1, 1)


@pytest.mark.parametrize("leaves", ["server", "client"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("command, words", [("rdma-bw", ("-s", "64", "-q", "4")), ("rdma-lat", ("-s", "64"))])
def test_an_end_that_leaves_takes_nothing_from_the_other(pair, leaves, how, command, words):
    """net_memif's driver then unmaps the rings that the other end polls: that end must be outside of the driver."""
    more = ("-n", "1000000")
    for _ in range(4):
        server = pair.server(command, *words, *(more if command == "rdma-lat" else ()))
        client = pair.start(command, "client", "10.9.0.2", *words, *more, "127.0.0.1")
        for end in (client, server):
            assert end.stdout is not None
            assert end.stdout.readline() != ""  # it has met the other end
        time.sleep(0.1)  # packets are under way
        first, second = (server, client) if leaves == "server" else (client, server)
        first.send_signal(how)
        errors = {end: end.communicate(timeout=SECONDS)[1] for end in (first, second)}
        assert first.returncode in ((-signal.SIGKILL,) if how == signal.SIGKILL else (DONE, FAILED)), errors[first]
        assert second.returncode in (DONE, FAILED), errors[second]
        if second.returncode == FAILED:
            assert errors[second].splitlines()[-1].startswith("packetwarp: error: rdma"), errors[second]
        if (command, leaves, how) == ("rdma-bw", "client", signal.SIGTERM) and "before the first iteration ended" not in errors[first]:
            assert (first.returncode, second.returncode) == (DONE, DONE), errors  # the result so far is told
        for said in errors.values():
            assert "Invalid memory" not in said, said


def test_a_client_that_is_interrupted_has_the_result_so_far_and_tells_it(pair):
    server = pair.server("rdma-bw", "-q", "2")
    client = pair.start("rdma-bw", "client", "10.9.0.2", "-q", "2", "-n", "20000", "--posts", "16", "127.0.0.1")
    assert client.stdout is not None
    while not client.stdout.readline().startswith(" 64 "):  # the first of seven sizes
        assert client.poll() is None
    client.send_signal(signal.SIGINT)
    errors = {end: end.communicate(timeout=SECONDS)[1] for end in (client, server)}
    assert (client.returncode, server.returncode) == (DONE, DONE), errors
    result = pair.made("client")["results"][-1]
    told = pair.made("server")["told"]
    assert (told["bytes"], told["iterations"]) == (result["bytes"], result["iterations"] * 16 * 2)


def test_a_client_may_have_the_serving_end_of_the_memif(pair):
    pair.role_of = {"server": "client", "client": "server"}
    words = ("-s", "4096", "-q", "2")
    client = pair.start("rdma-bw", "client", "10.9.0.2", *words, "-n", "3", "--posts", "40", "127.0.0.1")
    pair.wait_for_socket()
    server = pair.server("rdma-bw", *words, "--validate")
    errors = {end: end.communicate(timeout=SECONDS)[1] for end in (client, server)}
    assert (client.returncode, server.returncode) == (DONE, DONE), errors


def test_a_client_ends_when_its_server_stands_still(pair):
    # 64 queues have more packets under way than the memif's ring holds: the driver takes no more.
    server = pair.server("rdma-bw", "-s", "64", "-q", "64")
    client = pair.start("rdma-bw", "client", "10.9.0.2", "-s", "64", "-q", "64", "-n", "1000000", "127.0.0.1")
    assert client.stdout is not None
    assert "writing to" in client.stdout.readline()
    server.send_signal(signal.SIGSTOP)
    try:
        errors = client.communicate(timeout=SECONDS)[1]
    finally:
        server.kill()
        server.communicate(timeout=SECONDS)
    assert client.returncode == FAILED
    assert "the peer did not answer, or packets were lost, until the last retry: transport retries exceeded" in errors.splitlines()[-1]


def test_a_second_signal_ends_a_client_whose_server_stands_still(pair):
    server = pair.server("rdma-bw", "-s", "64")
    client = pair.start("rdma-bw", "client", "10.9.0.2", "-s", "64", "-u", "26", "-n", "1000000", "127.0.0.1")
    assert client.stdout is not None
    assert "writing to" in client.stdout.readline()
    server.send_signal(signal.SIGSTOP)
    try:
        time.sleep(1)
        client.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert client.poll() is None, "the first signal drains what is in flight"
        client.send_signal(signal.SIGINT)
        errors = client.communicate(timeout=5)[1]
    finally:
        server.kill()
        server.communicate(timeout=SECONDS)
    assert client.returncode == FAILED
    assert errors.splitlines()[-1] == "packetwarp: error: rdma: interrupted while writes were under way"


@pytest.mark.parametrize("stands", ["server", "client"])
def test_a_latency_ends_when_the_other_end_stands_still(pair, stands):
    words = ("-s", "64", "-n", "10000000")
    ends = {"server": pair.server("rdma-lat", *words)}
    ends["client"] = pair.start("rdma-lat", "client", "10.9.0.2", *words, "127.0.0.1")
    for end in ends.values():
        assert end.stdout.readline() != ""  # it has met the other end
    still = ends.pop(stands)
    [other] = ends.values()
    still.send_signal(signal.SIGSTOP)
    try:
        errors = other.communicate(timeout=SECONDS)[1]
    finally:
        still.kill()
        still.communicate(timeout=SECONDS)
    assert other.returncode == FAILED
    # Its last write was acknowledged or not.
    assert "the peer did not answer, or packets were lost, until the last retry: transport retries exceeded" in errors or "came for 10 s: give both ends the same -s and -n" in errors


@pytest.mark.parametrize("of_server, of_client", [("2", "64"), ("64", "2")])
def test_a_latency_of_two_sizes_ends_in_the_advice_to_give_the_same(pair, of_server, of_client):
    server = pair.server("rdma-lat", "-s", of_server)
    client = pair.start("rdma-lat", "client", "10.9.0.2", "-s", of_client, "127.0.0.1")
    for role, end in (("client", client), ("server", server)):
        said, errors = end.communicate(timeout=SECONDS)
        assert end.returncode == FAILED
        assert "give both ends the same -s and -n" in errors.splitlines()[-1]
        counters_of_a_failure(pair, role, said, errors.splitlines()[-1])


@pytest.mark.parametrize("words, line", [
    (("--transport", "roce"), "--transport roce needs a port: packetwarp rdma-bw --vdev net_af_packet0,iface=eth1 -- --transport roce --address 10.9.0.1"),
    (("--vdev", "net_null0", "--", "--address", "10.9.0.1", "-s", "64", "10.9.0.2"),
     "--vdev is the EAL's, and EAL options go with --transport roce: give that after `--`, or leave --vdev out"),
    (("--vdev", "net_null0", "--", "--transport", "roce"), "--transport roce needs --address with this end's IPv4 address; on an interface of the kernel's, that interface's"),
    (("--transport", "roce", "--address", "10.9.0"), "--address '10.9.0': give this end's IPv4 address, such as 10.9.0.1"),
    (("--transport", "roce", "-m", "1500"), "-m 1500: give 256, 512, 1024, 2048 or 4096"),
    (("--address", "10.9.0.1"), "--transport host has no peer: a server's name, --address, -p, -m, -u, --retries, -d, -x, -b and --validate go with --transport shm, roce, verbs or mlx5"),
    (("--transport", "verbs", "--initiator", "gpu"), "--initiator gpu and --payload gpu do not go with --transport verbs: give neither, or --transport roce or mlx5"),
    (("--transport", "roce", "--initiator", "gpu"), "--initiator gpu is the client's: a server of rdma-bw writes nothing without -b"),
    (("--transport", "mlx5", "--initiator", "gpu"), "--initiator gpu is the client's: a server of rdma-bw writes nothing without -b"),
    (("--frames", "gpu"), "--frames gpu goes with --transport roce and --payload gpu: give these, or --frames host"),
    (("--transport", "verbs", "--frames", "gpu"), "--frames gpu goes with --transport roce and --payload gpu: give these, or --frames host"),
    (("--frames", "nic"), "--frames 'nic': give host or gpu"),
    (("--payload", "gpu"), "--payload gpu goes with --transport roce or mlx5: --transport host reaches host memory"),
    (("--transport", "gpu", "--payload", "gpu"), "--payload gpu goes with --transport roce or mlx5: payload of --transport gpu is in its GPU"),
    (("--transport", "roce", "--payload", "hbm", "10.9.0.2"), "--payload 'hbm': give host or gpu"),
    (("--transport", "verbs", "--validate", "10.9.0.2"), "--validate is the server's: it compares its memory with the pattern of a packetwarp client; with -b either end can"),
])
def test_a_wrong_request_is_one_line(binary, words, line):
    done = subprocess.run([binary, "rdma-bw", *words], capture_output=True, text=True, check=False, timeout=SECONDS)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert done.stderr.splitlines()[-1] == f"packetwarp: error: {line}"


@pytest.mark.parametrize("words", [("--initiator", "gpu", "10.9.0.2"), ("--payload", "gpu", "10.9.0.2"), ("--payload", "gpu")])
def test_without_a_gpu_the_line_says_what_needs_none(binary, words):
    if shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0:
        pytest.skip("this machine has a GPU")
    done = subprocess.run([binary, "rdma-bw", *EAL, "--vdev", "net_null0", "--", "--transport", "roce", "--address", "10.9.0.1", *words],
                          capture_output=True, text=True, check=False, timeout=SECONDS)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert done.stderr.splitlines() == ["packetwarp: error: no GPU can be used here ('packetwarp doctor --only gpu' says why); "
                                        "--initiator cpu --payload host needs none"]


def test_without_a_verbs_device_the_line_says_how_to_have_one(binary):
    if list(pathlib.Path("/sys/class/infiniband").glob("*")):
        pytest.skip("this machine has a verbs device")
    for transport in ("verbs", "mlx5"):
        done = subprocess.run([binary, "rdma-lat", "--transport", transport], capture_output=True, text=True, check=False, timeout=SECONDS)
        assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
        assert "there is no verbs device here; --transport roce needs none" in done.stderr.splitlines()[-1]

# SPDX-License-Identifier: Apache-2.0
"""`packetwarp rdma-bw` in a network namespace, whose settings and frames the test has in its hands."""
from __future__ import annotations

import json
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from harness import DONE, FAILED, end_with_the_tests
from namespaces import Namespace
from raw_interface import RawInterface
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

CLIENT = pathlib.Path(__file__).with_name("telling_client.py")
SECONDS = 60
PORT = "40000"


@pytest.fixture
def here(namespaces) -> Namespace:
    made = namespaces.add("rdma")
    made.silence()
    made.ip("link", "set", "lo", "up")
    return made


def start(here: Namespace, *argv: str) -> subprocess.Popen[str]:
    return here.popen(*argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=end_with_the_tests)


def test_a_client_without_a_server_does_not_meet_itself(binary, here):
    here.sysctl("net.ipv4.ip_local_port_range", f"{PORT} 40001")  # the kernel gives a client the port that it connects to
    client = start(here, str(binary), "rdma-bw", "--transport", "shm", "-p", PORT, "-s", "64", "-n", "10", "127.0.0.1")
    time.sleep(2)
    client.send_signal(signal.SIGINT)
    said, errors = client.communicate(timeout=SECONDS)
    assert (client.returncode, said) == (FAILED, "")
    assert errors == "packetwarp: error: rdma: interrupted while it waited for the peer\n"


def test_frames_to_another_machine_are_not_read(binary, here, tmp_path):
    here.ip("link", "add", "w0", "type", "veth", "peer", "name", "w1")
    for end in ("w0", "w1"):
        here.ip("link", "set", end, "up")

    def end(role: str, interface: str, address: str, *words: str) -> subprocess.Popen[str]:
        eal = ("--in-memory", "--no-telemetry", "--lcores", "0", "--vdev", f"net_af_packet0,iface={interface}")
        return start(here, str(binary), "rdma-bw", *eal, "--", "--transport", "roce", "--address", address, "-p", PORT, "-s", "64",
                     "--json", str(tmp_path / f"{role}.json"), *words)

    server = end("server", "w0", "10.9.0.1")
    assert server.stdout.readline().startswith("waiting for a client")
    client = end("client", "w1", "10.9.0.2", "-n", "100000000", "127.0.0.1")
    assert "writing to" in client.stdout.readline()
    # A right frame would be executed. These would be counted as wrong ones.
    other = bytes(Ether(dst="02:11:22:33:44:55", src="02:00:00:00:00:09") / IP(dst="10.9.0.1", src="10.9.0.2") / UDP(dport=4791) / bytes(40))
    with RawInterface(here, "w1") as wire:
        for _ in range(5):
            wire.send(other)
            time.sleep(0.05)
    client.send_signal(signal.SIGINT)
    errors = {one: one.communicate(timeout=SECONDS)[1] for one in (client, server)}
    assert (client.returncode, server.returncode) == (DONE, DONE), errors
    counters = json.loads((tmp_path / "server.json").read_text())["counters"]
    assert (counters["of_another_mac"], counters["malformed"], counters["bad_icrc"]) == (5, 0, 0)


# The first byte of a packet is its operation: 0x2a is a write of UC.
@pytest.mark.parametrize("operation, dropped", [(None, ": its own output may say more"),
                                                (0x2A, "; dropped: 3 of another connection type (-c RC is needed)"), (0x0D, "; dropped: 3 malformed")])
def test_a_result_of_which_nothing_arrived_is_one_line(binary, here, tmp_path, operation, dropped):
    here.ip("link", "add", "w0", "type", "veth", "peer", "name", "w1")
    for interface in ("w0", "w1"):
        here.ip("link", "set", interface, "up")
    here.ip("addr", "add", "10.9.0.2/24", "dev", "w1")
    server = start(here, str(binary), "rdma-bw", "--in-memory", "--no-telemetry", "--lcores", "0", "--vdev", "net_af_packet0,iface=w0", "--",
                   "--transport", "roce", "--address", "10.9.0.1", "-p", PORT, "-s", "64", "--json", str(tmp_path / "server.json"))
    assert server.stdout.readline().startswith("waiting for a client")
    client = here.popen(sys.executable, str(CLIENT), PORT, "64", "1000000", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE, text=True, preexec_fn=end_with_the_tests)
    queue = int(client.stdout.readline())
    if operation is not None:
        mac = json.loads(here.run("ip", "-j", "link", "show", "w0").stdout)[0]["address"]
        packet = bytes((operation, 0x40, 0xFF, 0xFF)) + queue.to_bytes(4, "big") + bytes(32)
        with RawInterface(here, "w1") as wire:
            for _ in range(3):
                wire.send(bytes(Ether(dst=mac) / IP(dst="10.9.0.1", src="10.9.0.2") / UDP(dport=4791) / packet))
            time.sleep(0.2)
    client.communicate("tell\n", timeout=SECONDS)
    said, errors = server.communicate(timeout=SECONDS)
    assert server.returncode == FAILED, said
    line = errors.splitlines()[-1]
    assert line.startswith("packetwarp: error: rdma-bw: 127.0.0.1:"), errors
    assert line.endswith(" tells of 1000000 writes, and this end has executed 0" + dropped), errors
    assert " 1000000 " not in said, "no row of the table says that it arrived"

# SPDX-License-Identifier: Apache-2.0
"""Every key of a run's file, made wrong in every way: told by file and line, with the allowed values, before the EAL starts.

The files below have each key that there is, once and on a line of its own; the cases are made from them.
"""
from __future__ import annotations

import os
import re

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program

ROUTES = """\
eal:
  - --in-memory
control: none
metrics: 127.0.0.1:19464
event_log: events.jsonl
source_routes: drop
chain:
  - router
chain_as: special
data_plane:
  executor: cpu
  placement: host
  burst: 32
  pipelines: 2
  workers: isolated-rx
  isolated_ring: 128
  ring_slots: 8
  descriptors: 512
  packets: 8192
  big_loop: 100us
  big_loop_master: 2ms
  message_timeout: 2000us
  tx_timeout: 5ms
  loop_delay: 1us
  poll_sleep: 20us
interfaces:
  - name: left
    port: net_null0
    mac: "02:00:00:00:00:01"
    mtu: 1400
    addresses:
      - 192.0.2.1/24
  - name: right
    port: net_null1
    addresses: [198.51.100.1/24, "2001:db8:2::1/64"]
routes:
  - to: 203.0.113.0/24
    via: 198.51.100.2
  - to: 2001:db8:9::/48
    via: fe80::1
    interface: right
  - to: 10.0.0.0/8
    discard: true
neighbours:
  - interface: right
    address: 198.51.100.2
    mac: "02:00:00:00:00:02"
"""

NAT44 = """\
interfaces:
  - name: left
    port: net_null0
    addresses: [192.0.2.1/24]
  - name: right
    port: net_null1
    addresses: [198.51.100.1/24]
nat44:
  inside:
    - left
  outside: right
  pool:
    - 198.51.100.1
    - interface: right
      addresses: [198.51.100.2]
  ports:
    - 1024
    - 65535
  output_feature: false
  forwarding: false
  filtering: endpoint-independent
  pooling: paired
  sessions: 65536
  per_host: 10
  per_prefix: 20
  share_prefix: 24
  hosts: 1024
  addresses: 32
  log_one_in: 10
  timeouts:
    udp: 300
    tcp_established: 7440
    tcp_transitory: 240
    icmp: 60
  static:
    - protocol: tcp
      inside: 192.0.2.9:80
      outside: 198.51.100.1:80
  log: sessions.jsonl
  state: sessions.bin
"""

RULES = """\
interfaces:
  - name: left
    port: net_null0
  - name: right
    port: net_null1
rules:
  file: flows.txt
  on: cpu
  receive_queues: 1
  hairpin_queues: 0
  hairpin_mode: 0x12
  isolate: true
"""

WORKERS = """\
data_plane:
  workers:
    - lcore: 0
      role: master
    - lcore: 1
      role: forwarding
      ports:
        - port: left
          rx_queues:
            - 0
          tx_queues: [0]
          isolated_rx:
            lcore: 2
            ring: 1024
        - port: right
          rx_queues: [0]
          tx_queues:
            - 0
interfaces:
  - name: left
    port: net_null0
  - name: right
    port: net_null1
"""

GPU = """\
data_plane:
  executor: kernel
  gpus:
    - 0
interfaces:
  - name: left
    port: net_null0
  - name: right
    port: net_null1
"""

KERNEL = """\
interfaces:
  - name: left
    port: net_null0
    addresses: [192.0.2.1/24]
    kernel:
      name: pw-keys
      mac: "02:00:00:00:00:09"
      driver: tap
      addresses:
        - 192.0.2.9/24
      flows:
        - 192.0.2.9
      announce:
        - to: 203.0.113.0/24
          until: drain
  - name: right
    port: net_null1
"""

RULE = "flow create 0 ingress pattern eth / end actions drop / end\n"
FILES = {"routes": ROUTES, "nat44": NAT44, "rules": RULES, "workers": WORKERS, "gpu": GPU, "kernel": KERNEL}
KEY = re.compile(r"^(?P<indent>[ -]*)(?P<key>[a-z_0-9]+):(?P<value>.*)$")


def keys_of(text: str) -> list[tuple[int, re.Match[str]]]:
    """Each line with a key, by its number from 0."""
    return [(n, found) for n, line in enumerate(text.splitlines()) if (found := KEY.match(line))]


def block_end(lines: list[str], begin: int, column: int) -> int:
    """The line after the whole value of the key in this column of line `begin`."""
    end = begin + 1
    while end < len(lines) and len(lines[end]) - len(lines[end].lstrip(" ")) > column:
        end += 1
    return end


CASES = [(name, n) for name, text in FILES.items() for n, _ in keys_of(text)]
IDS = [f"{name}-{n + 1}-{FILES[name].splitlines()[n].strip(' -').partition(':')[0]}" for name, n in CASES]


@pytest.fixture
def told(packetwarp_of_module: Program):
    """The error of a wrong file: the line, and the words after it."""
    packetwarp = packetwarp_of_module
    (packetwarp.folder / "flows.txt").write_text(RULE)

    def say(text: str) -> tuple[int, str]:
        path = packetwarp.folder / "network.yaml"
        path.write_text(text)
        done = packetwarp.run("run", [*ALONE, "--lcores", "(0-2)@0", "--vdev=net_null0", "--vdev=net_null1"],
                              ["-c", str(path), "--duration", "50ms"], cwd=packetwarp.folder)
        assert done.status == WRONG_USAGE and done.stdout == "" and len(done.stderr.splitlines()) == 1, done
        place = re.fullmatch(rf"packetwarp: error: {re.escape(str(path))}:(\d+): (.*)", done.stderr.rstrip("\n"))
        assert place, done
        return int(place[1]), place[2]

    return say


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_right_as_they_are(packetwarp, name):
    """So that each refusal below is about what it changes."""
    if name == "kernel" and (os.geteuid() != 0 or not os.path.exists("/dev/net/tun")):
        pytest.skip("kernel interfaces need root and /dev/net/tun")
    (packetwarp.folder / "flows.txt").write_text(RULE)
    path = packetwarp.folder / "network.yaml"
    path.write_text(FILES[name])
    done = packetwarp.run("run", [*ALONE, "--lcores", "(0-2)@0", "--vdev=net_null0", "--vdev=net_null1"],
                          ["-c", str(path), "--duration", "50ms"], cwd=packetwarp.folder)
    if name == "gpu" and done.status == WRONG_USAGE and f"{path}:" not in done.errors[0]:
        pytest.skip(f"no GPU here: {done.errors[0]}")
    assert done.status == DONE, done


@pytest.mark.parametrize(("name", "n"), CASES, ids=IDS)
def test_a_key_that_is_misspelt(told, name, n):
    lines = FILES[name].splitlines()
    key = KEY.match(lines[n])["key"]
    lines[n] = lines[n].replace(f"{key}:", f"{key}x:", 1)
    line, said = told("\n".join(lines) + "\n")
    assert (line, f"no key '{key}x'; there are " in said) == (n + 1, True), said
    assert re.search(rf"there are .*\b{key}\b", said), "what is allowed"


@pytest.mark.parametrize(("name", "n"), CASES, ids=IDS)
def test_a_key_that_is_there_twice(told, name, n):
    lines = FILES[name].splitlines()
    found = KEY.match(lines[n])
    indent = found["indent"].replace("-", " ")
    lines.insert(block_end(lines, n, len(indent)), f"{indent}{found['key']}: again")
    where = lines.index(f"{indent}{found['key']}: again")
    line, said = told("\n".join(lines) + "\n")
    assert (line, f"the key '{found['key']}' is there twice" in said) == (where + 1, True), said


@pytest.mark.parametrize(("name", "n"), CASES, ids=IDS)
@pytest.mark.parametrize("wrong", ("{surely: wrong}", "surely-wrong", "[[1]]"), ids=("map", "word", "lists"))
def test_a_value_of_a_wrong_kind(told, name, n, wrong):
    lines = FILES[name].splitlines()
    found = KEY.match(lines[n])
    key = found["key"]
    is_any_word = key in ("control", "name", "port", "eal", "log", "state", "event_log") and len(found["indent"]) < 8
    if wrong == "surely-wrong" and is_any_word:
        pytest.skip("any word may stand there")
    lines[n:block_end(lines, n, len(found["indent"]))] = [f"{found['indent']}{key}: {wrong}"]
    line, said = told("\n".join(lines) + "\n")
    # A name that no longer exists is missed at its use.
    assert line == n + 1 or (key == "name" and "no interface" in said), said
    assert re.search(r"has to be|is no |is none of|is neither|no key|cannot be read|no interface|such as|give the", said), said

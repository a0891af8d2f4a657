# SPDX-License-Identifier: Apache-2.0
"""packetwarp run with a file that is wrong: one line that names the file and the line, and exit status 2."""
from __future__ import annotations

import json
import os
import pathlib
import textwrap

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program, Run

PORTS = (*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1")

CPUS = os.sched_getaffinity(0)
# A right file. The errors below come after it, or replace one of its lines.
RIGHT = """\
interfaces:
  - name: left
    port: net_null0
    mac: "02:00:00:00:00:01"
    addresses: [192.0.2.1/24, "2001:db8:1::1/64"]
  - name: right
    port: net_null1
    mtu: 1400
    addresses: [198.51.100.1/24]
routes:
  - {to: 203.0.113.0/24, via: 198.51.100.2}
neighbours:
  - {interface: right, address: 198.51.100.2, mac: "02:00:00:00:00:02"}
"""


def write(folder: pathlib.Path, text: str) -> pathlib.Path:
    path = folder / "network.yaml"
    path.write_text(textwrap.dedent(text))
    return path


def run_with(packetwarp: Program, text: str, *options: str) -> Run:
    path = write(packetwarp.folder, text)
    return packetwarp.run("run", PORTS, ["-c", str(path), "--duration", "50ms", *options])


def assert_refused(done: Run, begins: str, *words: str, status: int = WRONG_USAGE) -> None:
    """A line of packetwarp's, the last of all, and no result."""
    assert done.status == status, done
    assert done.stdout == "", done
    assert len(done.errors) == 1 and done.stderr.splitlines()[-1] == done.errors[0], done
    assert done.errors[0].startswith(f"packetwarp: error: {begins}"), done
    for word in words:
        assert word in done.errors[0], done


def test_the_right_file_runs(packetwarp):
    """So that each refusal below is about what it changes."""
    done = run_with(packetwarp, RIGHT, "--json", "-")
    assert done.status == DONE, done
    assert json.loads(done.stdout)["ended_by"] == "duration"


# The replaced text, the new text, the line of the error, its other words.
CHANGES = [
    # keys
    ("neighbours:", "neighbors:", 12, ["no key 'neighbors'", "neighbours"]),
    ("    mtu: 1400", "    mtu: 1400\n    vlan: 7", 9, ["interfaces[1]", "no key 'vlan'", "mtu"]),
    ("    mtu: 1400", "    mtu: 1400\n    mtu: 1500", 9, ["interfaces[1]", "'mtu'", "twice"]),
    ("via: 198.51.100.2}", "gateway: 198.51.100.2}", 11, ["routes[0]", "no key 'gateway'", "via"]),
    ("interface: right, address", "interface: right, ip", 13, ["neighbours[0]", "no key 'ip'"]),
    # what has to be there
    ("    port: net_null0\n", "", 2, ["interfaces[0]", "'port' is missing"]),
    ("name: left\n    port", "port", 2, ["interfaces[0]", "'name' is missing"]),
    ("to: 203.0.113.0/24, ", "", 11, ["routes[0]", "'to' is missing"]),
    (', mac: "02:00:00:00:00:02"', "", 13, ["neighbours[0]", "'mac' is missing"]),
    (RIGHT, "routes: []\n", 1, ["'interfaces' is missing"]),
    (RIGHT, "", 1, ["interfaces"]),
    (RIGHT, "interfaces: []\n", 1, ["interfaces", "at least"]),
    ("mtu: 1400", "mtu:", 8, ["interfaces[1]", "'mtu' has no value"]),
    ("via: 198.51.100.2}", "via: }", 11, ["routes[0]", "'via' has no value"]),
    ("name: left", 'name: ""', 2, ["interfaces[0].name", "is empty"]),
    ("name: left", "name: left port", 2, ["interfaces[0].name", "a space, a slash or a control character", "one word"]),
    ("name: left", "name: left/1", 2, ["interfaces[0].name", "a space, a slash or a control character"]),
    ("name: left", 'name: "le\\x07ft"', 2, ["interfaces[0].name", "a space, a slash or a control character"]),
    # types
    ("  - {to: 203.0.113.0/24, via: 198.51.100.2}", "  - 203.0.113.0/24", 11, ["routes[0]", "map", "to, via"]),
    ("addresses: [198.51.100.1/24]", "addresses: {a: 198.51.100.1/24}", 9, ["interfaces[1].addresses", "list"]),
    ("name: left", "name: [left]", 2, ["interfaces[0].name", "single value"]),
    ("mtu: 1400", "mtu: wide", 8, ["interfaces[1].mtu", "'wide'", "1280 to 9000"]),
    ("mtu: 1400", "mtu: 1279", 8, ["interfaces[1].mtu", "'1279'", "1280 to 9000"]),
    ("via: 198.51.100.2}", "discard: perhaps}", 11, ["routes[0].discard", "'perhaps'", "true"]),
    (RIGHT, "- interfaces\n", 1, ["map", "interfaces"]),
    # addresses
    ("203.0.113.0/24", "203.0.113.0", 11, ["routes[0].to", "'203.0.113.0' is no prefix", "192.0.2.0/24"]),
    ("203.0.113.0/24", "203.0.113.0/33", 11, ["routes[0].to", "203.0.113.0/33"]),
    ("203.0.113.0/24", "203.0.113/24", 11, ["routes[0].to", "203.0.113/24"]),
    ("2001:db8:1::1/64", "2001:db8:1::1/129", 5, ["interfaces[0].addresses[1]", "2001:db8:1::1/129"]),
    ("192.0.2.1/24", "192.0.2.256/24", 5, ["interfaces[0].addresses[0]", "192.0.2.256/24"]),
    ("via: 198.51.100.2", "via: right", 11, ["routes[0].via", "'right' is no IP address"]),
    ("via: 198.51.100.2", "via: 2001:db8:1::2", 11, ["routes[0]", "one IP version"]),
    ("02:00:00:00:00:01", "02:00:00:00:00", 4, ["interfaces[0].mac", "'02:00:00:00:00' is no MAC address"]),
    ("02:00:00:00:00:02", "nobody", 13, ["neighbours[0].mac", "'nobody'"]),
    # what does not fit together
    ("port: net_null1", "port: net_null7", 6, ["port 'net_null7' does not exist", "0 (net_null0)", "1 (net_null1)"]),
    ("port: net_null1", "port: 2", 6, ["port '2' does not exist"]),
    ("port: net_null1", "port: net_null0", 6, ["interfaces[1]", "net_null0", "left"]),
    ("port: net_null1", "port: 0", 6, ["net_null0", "left"]),
    ("name: right", "name: left", 6, ["interfaces[1]", "'left' already"]),
    ("[198.51.100.1/24]", "[198.51.100.1/24, 192.0.2.1/30]", 9, ["interfaces[1].addresses[1]", "192.0.2.1", "left"]),
    ("[198.51.100.1/24]", "[198.51.100.1/24, 198.51.100.1/25]", 9, ["interfaces[1].addresses[1]", "right"]),
    ("[198.51.100.1/24]", "[192.0.2.9/24]", 9, ["interfaces[1].addresses[0]", "192.0.2.0/24 is on interface left's wire", "192.0.2.1/24"]),
    ("[198.51.100.1/24]", '["2001:db8:1::9/64"]', 9, ["interfaces[1].addresses[0]", "2001:db8:1::/64 is on interface left's wire"]),
    ("[198.51.100.1/24]", "[198.51.100.255/24]", 9, ["interfaces[1].addresses[0]", "the broadcast address of 198.51.100.0/24", "host"]),
    ("[198.51.100.1/24]", "[198.51.100.0/24]", 9, ["interfaces[1].addresses[0]", "198.51.100.0 is the network address of 198.51.100.0/24", "host"]),
    ("[198.51.100.1/24]", "[198.51.100.1/24, 10.0.0.4/30]", 9, ["interfaces[1].addresses[1]", "10.0.0.4 is the network address of 10.0.0.4/30"]),
    ("[198.51.100.1/24]", "[198.51.100.1/24, 127.0.0.1/8]", 9, ["interfaces[1].addresses[1]", "127.0.0.1 is no host's address", "unicast"]),
    ("[198.51.100.1/24]", "[224.0.0.1/24]", 9, ["interfaces[1].addresses[0]", "224.0.0.1 is no host's address", "unicast"]),
    ("via: 198.51.100.2", "via: 203.0.113.9", 11, ["via 203.0.113.9", "no interface", "'interface'"]),
    *(("via: 198.51.100.2", f"via: {at}", 11, ["routes[0].via", "is interface right's own; give another host's address"]) for at in ("198.51.100.1", "198.51.100.1, interface: left")),
    *(("203.0.113.0/24, via: 198.51.100.2", f"'{to}', interface: right", 11, ["routes[0].to", f"{to} is never routed", of]) for to, of in (
        ("224.0.0.0/4", "224.0.0.0/3"), ("127.0.0.0/8", "127.0.0.0/8"), ("0.0.0.0/32", "0.0.0.0/8"), ("169.254.1.0/24", "169.254.0.0/16"),
        ("ff05::/16", "ff00::/8"), ("fe80::/64", "fe80::/10"), ("::1/128", "::/127"))),
    *((old, new.format(address), line, [key, f"{address} is no host's address", which])
      for old, new, line, key in (("via: 198.51.100.2", "via: {}", 11, "routes[0].via"), ("via: 198.51.100.2", "via: {}, interface: right", 11, "routes[0].via"),
                                  ("address: 198.51.100.2", "address: {}", 13, "neighbours[0].address"))
      for address, which in (("224.0.0.1", "224.0.0.0/3"), ("0.0.0.0", "0.0.0.0/8"), ("127.0.0.1", "127.0.0.0/8"), ("255.255.255.255", "224.0.0.0/3"))),
    *((old, new.format(address), line, [key, f"{address} is no host's address", "::, ::1 and ff00::/8"])
      for old, new, line, key in (("203.0.113.0/24, via: 198.51.100.2", "'2001:db8:9::/48', via: '{}', interface: right", 11, "routes[0].via"),
                                  ("address: 198.51.100.2", "address: '{}'", 13, "neighbours[0].address"))
      for address in ("ff02::1", "::", "::1")),
    *((old, new + address, line, [key, f"{address} is the {what} address of 198.51.100.0/24"])
      for old, new, line, key in (("via: 198.51.100.2", "via: ", 11, "routes[0].via"), ("via: 198.51.100.2", "interface: right, via: ", 11, "routes[0].via"),
                                  ("address: 198.51.100.2", "address: ", 13, "neighbours[0].address"))
      for address, what in (("198.51.100.0", "network"), ("198.51.100.255", "broadcast"))),
    ('mac: "02:00:00:00:00:02"}', 'mac: "02:00:00:00:00:02"}\n  - {interface: right, address: 198.51.100.2, mac: "02:00:00:00:00:03"}', 14,
     ["neighbours[1].address", "198.51.100.2 on interface right", "the neighbour in line 13", "one entry"]),
    ("via: 198.51.100.2", "interface: middle", 11, ["routes[0].interface", "no interface 'middle'", "left, right"]),
    ("via: 198.51.100.2", "via: 198.51.100.2, discard: true", 11, ["routes[0]", "discard"]),
    (", via: 198.51.100.2", "", 11, ["routes[0]", "'via' or 'interface'"]),
    ("{interface: right", "{interface: middle", 13, ["neighbours[0].interface", "no interface 'middle'", "left, right"]),
    ("address: 198.51.100.2", "address: 198.51.100.1", 13, ["neighbours[0].address", "198.51.100.1 is interface right's own"]),
    ("02:00:00:00:00:02", "ff:ff:ff:ff:ff:ff", 13, ["neighbours[0].mac", "ff:ff:ff:ff:ff:ff is no interface's"]),
    ("02:00:00:00:00:02", "00:00:00:00:00:00", 13, ["neighbours[0].mac", "not 0"]),
    ('mac: "02:00:00:00:00:01"', 'mac: "03:00:00:00:00:01"', 4, ["interfaces[0].mac", "03:00:00:00:00:01 is no interface's"]),
    ("203.0.113.0/24", "203.0.113.7/24", 11, ["routes[0].to", "203.0.113.7/24", "give 203.0.113.0/24", "203.0.113.7/32"]),
    ("203.0.113.0/24, via: 198.51.100.2", "'2001:db8:9::1/48', via: '2001:db8:1::2'", 11, ["routes[0].to", "give 2001:db8:9::/48", "2001:db8:9::1/128"]),
    ("neighbours:", "  - {to: 203.0.113.0/24, discard: true}\nneighbours:", 12, ["routes[1].to", "203.0.113.0/24", "line 11", "one route"]),
    ("neighbours:", "  - {to: 192.0.2.0/24, discard: true}\nneighbours:", 12, ["routes[1].to", "192.0.2.0/24", "interface left's own prefix"]),
    ("routes:", "source_routes: follow\nroutes:", 10, ["source_routes", "'follow'", "drop, pass"]),
    # the data plane
    ("routes:", "data_plane: {executor: fpga}\nroutes:", 10, ["data_plane.executor", "'fpga'", "cpu, kernel"]),
    ("routes:", "data_plane: {burst: 0}\nroutes:", 10, ["data_plane.burst", "'0'", "1 to 8192"]),
    ("routes:", "data_plane: {ring_slots: 12}\nroutes:", 10, ["data_plane.ring_slots", "power of two"]),
    ("routes:", "data_plane: {executor: kernel, gpus: []}\nroutes:", 10, ["data_plane.gpus", "number"]),
    ("routes:", "data_plane: {gpus: [0]}\nroutes:", 10, ["data_plane.gpus", "executor cpu has no use for GPUs", "'executor'"]),
    ("routes:", "data_plane: {placement: device}\nroutes:", 10, ["data_plane.placement", "GPU memory", "'executor: kernel'"]),
    ("routes:", "rules: {file: /}\nroutes:", 10, ["rules.file", "'/' cannot be read", "testpmd's flow commands"]),
    ("routes:", "event_log: /\nroutes:", 10, ["event_log: '/' is a folder; give a file"]),
    ("routes:", "control: /\nroutes:", 10, ["control: '/' is a folder; give a file"]),
    ("routes:", "data_plane: {isolated_ring: 128}\nroutes:", 10, ["data_plane.isolated_ring", "workers run-to-completion", "isolated-rx"]),
    ("routes:", "data_plane: {speed: high}\nroutes:", 10, ["data_plane", "no key 'speed'", "executor"]),
    # no YAML
    ("  - name: right", "  - name: [right", None, ["no YAML"]),
    ("interfaces:", "interfaces: {", None, ["no YAML"]),
    ("routes:", "[routes]:", 10, ["single value"]),
]


@pytest.mark.parametrize(("old", "new", "line", "said"), CHANGES,
                         ids=[f"{i}-{(new or 'without ' + old)[:30]!r}" for i, (old, new, _, _) in enumerate(CHANGES)])
def test_a_wrong_line_is_told_by_its_place_to_run_and_to_plan(packetwarp, old, new, line, said):
    assert old in RIGHT
    file = RIGHT.replace(old, new, 1)
    done = run_with(packetwarp, file)
    place = f"{packetwarp.folder / 'network.yaml'}:" + ("" if line is None else f"{line}: ")
    assert_refused(done, place, *said)
    planned = packetwarp.run("plan", PORTS, ["-c", str(write(packetwarp.folder, file))])
    assert (planned.status, planned.stdout, planned.errors) == (done.status, "", done.errors), planned


@pytest.mark.parametrize(("old", "new"), (
    ("[198.51.100.1/24]", "[198.51.100.1/24, 10.0.0.0/31, 10.0.0.2/32, '2001:db8:2::/64']"),
    ("[198.51.100.1/24]", "[198.51.100.1/24, 10.0.0.9/31, 10.0.0.255/32]"),
    ("neighbours:", 'neighbours:\n  - {interface: left, address: 198.51.100.2, mac: "02:00:00:00:00:02"}'),
    ("203.0.113.0/24, via: 198.51.100.2", "240.0.0.0/4, discard: true"), ("203.0.113.0/24", "192.0.0.0/2"), ("203.0.113.0/24", "0.0.0.0/7"),
    ("via: 198.51.100.2", "via: 10.0.0.255, interface: right")))
def test_addresses_that_may_look_wrong_and_are_not(packetwarp, old, new):
    assert run_with(packetwarp, RIGHT.replace(old, new, 1)).status == DONE


# Lines of a section after the right file, which has 13; the line of the error, its other words.
NAT44 = [
    ("inside: [left]\n  outside: [middle]", 16, ["nat44.outside[0]", "no interface 'middle'"]),
    ("inside: [left]\n  outside: left", 16, ["nat44.outside", "'left' has a side already"]),
    ("pools: [198.51.100.1]", 15, ["nat44", "no key 'pools'", "pool"]),
    ("pool: [198.51.100]", 15, ["nat44.pool[0]", "'198.51.100'", "192.0.2.1-192.0.2.9"]),
    ("{outside: right, pool: [198.51.100.9-198.51.100.1]}", None, ["198.51.100.9", "no range"]),
    ("pool: [{interface: middle}]", 15, ["nat44.pool[0].interface", "no interface 'middle'"]),
    ("pool: [{interface: left}]", 15, ["nat44.pool[0].interface", "'left' is not among 'outside'"]),
    ("pool: [{addresses: 198.51.100.1}]", 15, ["nat44.pool[0]", "'interface' is missing"]),
    ("pool: [{interface: left, adresses: 198.51.100.1}]", 15, ["nat44.pool[0]", "no key 'adresses'", "addresses"]),
    ("pool: []", 15, ["nat44", "no 'pool'", "198.51.100.10", "{interface: NAME}"]),
    ("filtering: endpoint-independent", 15, ["nat44", "no 'pool'"]),
    *((f"pool: [{pool}]", 15, ["nat44.pool[0]", f"{named} is ", what, "198.51.100.10"]) for pool, named, what in (
        ("0.0.0.0", "0.0.0.0", "0.0.0.0/8"), ("127.0.0.1", "127.0.0.1", "loopback"), ("224.0.0.1-224.0.0.9", "224.0.0.1", "group"),
        ("223.255.255.250-224.0.0.9", "224.0.0.0", "group"), ("169.254.1.1", "169.254.1.1", "link-local"),
        ("255.255.255.255", "255.255.255.255", "240.0.0.0/4"), ("126.255.255.255-127.0.0.0", "127.0.0.0", "loopback"))),
    ("inside: left\n  pool: [192.0.2.1]", 16, ["nat44.pool[0]", "192.0.2.1", "'left', which is inside"]),
    ("{inside: left, outside: right, pool: [198.51.100.9, 192.0.2.0-192.0.2.9]}", 15, ["nat44.pool[1]", "192.0.2.1", "'left', which is inside"]),
    ("{outside: right, pool: [{interface: right, addresses: [127.1.1.1]}]}", 15, ["nat44.pool[0].addresses[0]", "127.1.1.1", "loopback"]),
    ("{outside: right, pool: [198.51.100.250-198.51.100.255]}", 15, ["nat44.pool[0]", "198.51.100.255 is the broadcast address", "'right'"]),
    ("{inside: left, static: [{inside: 192.0.2.9, outside: 192.0.2.1}]}", 15, ["nat44.static[0].outside", "192.0.2.1", "'left', which is inside"]),
    ("{inside: left, static: [{inside: 192.0.2.1, outside: 198.51.100.9}]}", 15, ["nat44.static[0].inside", "192.0.2.1 is the router's own address, of 'left'"]),
    ("{static: [{inside: 192.0.2.255, outside: 198.51.100.9}]}", 15, ["nat44.static[0].inside", "own broadcast address, of 'left'"]),
    ("{static: [{inside: 192.0.2.9, outside: 239.1.2.3}]}", 15, ["nat44.static[0].outside", "239.1.2.3", "group"]),
    ("{static: [{inside: 127.0.0.1, outside: 198.51.100.9}]}", 15, ["nat44.static[0].inside", "127.0.0.1", "loopback"]),
    ("{inside: left, static: [{protocol: tcp, inside: '192.0.2.9:80', outside: '192.0.2.1:80'}]}", 15, ["nat44.static[0].outside", "'left', which is inside"]),
    ("{static: [{protocol: tcp, inside: '0.0.0.0:80', outside: '198.51.100.1:80'}]}", 15, ["nat44.static[0].inside", "0.0.0.0"]),
    ("ports: [1024]", 15, ["nat44.ports", "[1024, 65535]"]),
    ("{inside: left, outside: right, pool: [198.51.100.9], ports: [2000, 1000]}", None, ["2000 to 1000", "no range"]),
    ("ports: [0, 1000]", 15, ["nat44.ports[0]", "'0'", "1 to 65535"]),
    ("filtering: none", 15, ["nat44.filtering", "'none'", "endpoint-independent, address-dependent"]),
    ("pooling: shared", 15, ["nat44.pooling", "'shared'", "paired, arbitrary"]),
    ("sessions: 0", 15, ["nat44.sessions", "'0'", "1 to 16777216"]),
    ("per_host: 16777217", 15, ["nat44.per_host", "'16777217'", "0 to 16777216"]),
    ("per_prefix: some", 15, ["nat44.per_prefix", "'some'", "0 to 16777216"]),
    ("share_prefix: 33", 15, ["nat44.share_prefix", "'33'", "1 to 32"]),
    *((f"timeouts: {{tcp_established: {time}}}", 15, ["nat44.timeouts.tcp_established", f"'{time}'", "whole number of seconds from 1 to 4194304", "5m"])
      for time in ("1500ms", "0s", "5d", "long", "-1", "2000h", "1.5")),
    ("{pool: [198.51.100.9], log_one_in: 8}", 15, ["nat44.log_one_in", "it is about 'log'", "give both or none"]),
    ("{pool: [198.51.100.9], log_room: 1m}", 15, ["nat44.log_room", "it is about 'log'", "give both or none"]),
    ("{pool: [198.51.100.9], state_period: 25h}", 15, ["nat44.state_period", "'25h'", "0 to 86400"]),
    ("{inside: left, static: [{inside: 192.0.2.9, outside: 198.51.100.9}]}", 15, ["nat44", "no interface is on the outside", "'outside: NAME'"]),
    ("{inside: left, outside: right, pool: [198.51.100.9], log: /}", 15, ["nat44.log: '/' is a folder; give a file"]),
    ("timeouts: {udp: 0}", 15, ["nat44.timeouts.udp", "'0'"]),
    ("timeouts: {sctp: 10}", 15, ["nat44.timeouts", "no key 'sctp'", "udp"]),
    ("output_feature: maybe", 15, ["nat44.output_feature", "'maybe'", "true"]),
    ("static: [{inside: 192.0.2.9}]", 15, ["nat44.static[0]", "'outside' is missing"]),
    ("static: [{inside: 192.0.2.9, outside: '2001:db8::1'}]", 15, ["nat44.static[0].outside", "no IPv4 address"]),
    ("static: [{protocol: sctp, inside: '192.0.2.9:80', outside: '198.51.100.1:80'}]", 15, ["'sctp'", "udp, tcp, icmp"]),
    ("static: [{protocol: tcp, inside: '192.0.2.9', outside: '198.51.100.1:80'}]", 15, ["'192.0.2.9'", "192.0.2.1:53"]),
    ("static: [{protocol: tcp, inside: '192.0.2.9:80', outside: '198.51.100.1:65536'}]", 15, ["198.51.100.1:65536"]),
]


@pytest.mark.parametrize(("section", "line", "said"), NAT44, ids=[section[:40] for section, _, _ in NAT44])
def test_nat44_that_is_wrong(packetwarp, section, line, said):
    """An error that only the whole section shows has the section's line."""
    done = run_with(packetwarp, f"{RIGHT}nat44:\n  {section}\n")
    assert_refused(done, f"{packetwarp.folder / 'network.yaml'}:{line or 15}: ", *said)


@pytest.mark.parametrize("section", (
    # Addresses that may look wrong and are not.
    "{inside: left, outside: right, pool: [{interface: right}]}", "{inside: left, outside: right, pool: [198.51.100.1]}",
    "{inside: left, outside: right, pool: [198.51.100.0, 203.0.113.0-203.0.113.255]}",
    "{inside: left, outside: right, pool: [198.51.100.1], static: [{protocol: tcp, inside: '192.0.2.9:80', outside: '198.51.100.1:80'}]}",
    "{inside: left, outside: right, pool: [198.51.100.1], timeouts: {udp: 300, icmp: 60s, tcp_transitory: 4m, tcp_established: 2.5h}, state_period: 1m}",
    "{inside: left, outside: right, static: [{inside: 192.0.2.9, outside: 198.51.100.9}]}"))
def test_nat44_that_is_right(packetwarp, section):
    done = run_with(packetwarp, f"{RIGHT}nat44:\n  {section}\n")
    assert done.status == DONE, done


@pytest.mark.parametrize(("variables", "line"), (("{HOME_NET: 10.0.0.0/8, HOME_NET: 11.0.0.0/8}", 16),
                                                 ("\n    HOME_NET: 10.0.0.0/8\n    DNS_SERVERS: any\n    HOME_NET: 10.0.0.0/8", 19)), ids=("flow", "block"))
def test_a_variable_of_inspect_that_is_there_twice(packetwarp, variables, line):
    done = run_with(packetwarp, f"{RIGHT}inspect:\n  rules: [my.rules]\n  variables: {variables}\n")
    assert_refused(done, f"{packetwarp.folder / 'network.yaml'}:{line}: inspect.variables.HOME_NET: ", "the key 'HOME_NET' is there twice")


# A file's rules, the place and the words that are told; of two ports, 0 and 1.
RULES = [
    ("# one\nflow create 7 ingress pattern eth / end actions drop / end\n", ":2:1: port 7: none of the network's, which are 0, 1"),
    ("flow isolate 2 1\n", ":1:1: port 2: none of the network's, which are 0, 1"),
    ("flow create 0 ingress pattern eth / end actions drop / end\n\nflow create 1 ingress pattern eth / end actions port_id id 9 / end\n",
     ":3:1: port 9: none of the network's, which are 0, 1"),
    ("flow destroy 0 rule 5\n", ":1:1: port 0 has no flow rule 5"),
    ("flow create 0 pattern eth / end actions drop / end\n", ":1:1: flow rule 0 of port 0: it has no direction"),
    ("\n  flow create 1 ingress pattern eth / end actions queue index 3 / end\n", ":2:3: flow rule 0 of port 1: queue 3 is not there"),
]


@pytest.mark.parametrize("on", ("auto", "cpu"))
@pytest.mark.parametrize(("rules", "said"), RULES, ids=[said[:40] for _, said in RULES])
def test_a_rule_that_cannot_be_is_told_by_its_own_file(packetwarp, tmp_path, on, rules, said):
    path = tmp_path / "flows.txt"
    path.write_text(rules)
    file = RIGHT.replace("routes:\n  - {to: 203.0.113.0/24, via: 198.51.100.2}\n", f"rules:\n  file: {path}\n  on: {on}\n")
    assert_refused(run_with(packetwarp, file), f"{path}{said}")


def test_rules_need_packets_in_host_memory(packetwarp):
    file = RIGHT.replace("routes:\n  - {to: 203.0.113.0/24, via: 198.51.100.2}\n",
                         "data_plane: {executor: persistent, placement: device}\nrules:\n  file: flows.txt\n")
    assert_refused(run_with(packetwarp, file), f"{packetwarp.folder / 'network.yaml'}:", "rules need 'placement: host'")


def test_a_wrong_rule_is_told_by_its_own_file(packetwarp, tmp_path):
    rules = tmp_path / "flows.txt"
    rules.write_text("# one\nflow create 0 ingress pattern eth / nonsense / end actions drop / end\n")
    file = RIGHT.replace("routes:\n  - {to: 203.0.113.0/24, via: 198.51.100.2}\n", f"rules:\n  file: {rules}\n")
    assert_refused(run_with(packetwarp, file), f"{rules}:2", "nonsense")


def test_a_file_of_rules_that_is_not_there(packetwarp, tmp_path):
    file = RIGHT.replace("routes:\n  - {to: 203.0.113.0/24, via: 198.51.100.2}\n", "rules:\n  file: nowhere.txt\n")
    place = f"{packetwarp.folder / 'network.yaml'}:11: rules.file: "
    assert_refused(run_with(packetwarp, file), place, "nowhere.txt", "cannot be read")


def test_a_file_that_is_not_there(packetwarp, tmp_path):
    done = packetwarp.run("run", PORTS, ["-c", str(tmp_path / "nowhere.yaml")])
    assert_refused(done, f"-c {tmp_path / 'nowhere.yaml'}: ", "cannot be read: it is not there")


def test_a_folder_is_no_file(packetwarp, tmp_path):
    assert_refused(packetwarp.run("run", PORTS, ["-c", str(tmp_path)]), f"-c {tmp_path}: ", "cannot be read: Is a directory")


@pytest.mark.parametrize("words", ([], ["--duration", "1s"], [*PORTS, "--", "--duration", "1s"]), ids=" ".join)
def test_no_file_given(packetwarp, words):
    assert_refused(packetwarp.run("run", words), "-c: ", "run -c FILE")


@pytest.mark.parametrize(("fault", "said"), (("fire", "'fire' is not one of error, stall, lost, memory, busy"),
                                             ("stall@soon", "'soon' is not a number"),
                                             ("busy@7", "asks for executor cpu; it is for kernel, persistent and graph")),
                         ids=("unknown", "when", "no-gpu"))
def test_a_fault_to_inject_that_makes_no_sense(packetwarp, fault, said):
    done = run_with(packetwarp, RIGHT, "--inject-gpu-fault", fault)
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert "--inject-gpu-fault" in done.errors[0] and said in done.errors[0], done


def test_no_files_name_given(packetwarp):
    assert_refused(packetwarp.run("run", ["-c"]), "", "--config", "packetwarp run --help")


def test_what_is_wrong_is_said_before_the_eal_starts(packetwarp):
    """And before a file for the result is made."""
    result = packetwarp.folder / "result.json"
    done = run_with(packetwarp, RIGHT.replace("mtu: 1400", "mtu: wide"), "--json", str(result))
    assert len(done.stderr.splitlines()) == 1, done
    assert not result.exists()


def test_the_eal_options_may_be_the_files(packetwarp):
    eal = json.dumps(list(PORTS))
    path = write(packetwarp.folder, f"eal: {eal}\n{RIGHT}")
    done = packetwarp.run("run", ["-c", path, "--duration", "50ms", "--json", "-"])
    assert done.status == DONE, done
    assert [port["name"] for port in json.loads(done.stdout)["ports"]] == ["net_null0", "net_null1"]


# Words of the file's `eal`, an item a line; the item that is told, and what else is said. The EAL would say these in several
# lines of its own, or in none.
EAL_WORDS = [
    (["-l", "'0'", "--metrics", "'9464'"], 2, ["--metrics is packetwarp's", "the key 'metrics'", "run -c FILE --metrics 9464"]),
    (["-l", "'0'", "--duration=1s"], 2, ["--duration is packetwarp's", "run -c FILE --duration"]),
    (["-l", "'0'", "--control", "none"], 2, ["--control is packetwarp's", "the key 'control'"]),
    (["-l", "'0'", "-c", "network.yaml"], 2, ["-c is packetwarp's"]),
    (["-l", "'0'", "-w", "cpu"], 2, ["-w: neither the EAL nor packetwarp run"]),
    (["-l", "'0'", "--fly"], 2, ["--fly: neither the EAL nor packetwarp run"]),
    (["-l", "'0'", "net_null0"], 2, ["'net_null0' belongs to no option"]),
    (["-l", "'0'", "'--vdev net_null0'"], 2, ["'--vdev net_null0'", "an item of its own", "[--vdev, net_null0]"]),
    (["-l", "0-127", "--vdev=net_null0"], 0, ["-l", "CPU 2-127" if CPUS == {0, 1} else "CPU", "it may use"]),
    (["--no-pci", "-l", "x"], 1, ["-l", "'x'"]),
    (["--no-pci", "--lcores=0@127"], 1, ["--lcores", "CPU 127"]),
    (["-l", "'0'", "--vdev=net_null0", "--vdev=net_fly0"], 3, ["--vdev=net_fly0", "no driver"]),
    (["-l", "'0'", "--vdev", "net_fly0"], 2, ["--vdev=net_fly0", "no driver"]),
    (["-l", "'0'", "--vdev=net_null0", "--vdev=net_af_packet0"], 3, ["--vdev=net_af_packet0", "iface=eth1"]),
    (["-l", "'0'", "--vdev=net_pcap0,rx_pcap=nowhere.pcap"], 2, ["nowhere.pcap"]),
    (["-l", "'0'", "-m", "abc"], 2, ["-m: 'abc' is no number", "-m 1024"]),
    (["-l", "'0'", "--vdev=net_null0,bad=1"], 2, ["net_null has no argument 'bad'", "size, copy, no-rx"]),
    (["--no-pci", "--vdev"], 1, ["--vdev: needs a value"]),
    (["--no-pci", "--proc-type=secondary"], 1, ["--proc-type: 'secondary'", "give primary"]),
]


# A plan may be of a machine with more CPUs.
EAL_CASES = [(command, *case) for case in EAL_WORDS for command in (("run",) if "it may use" in case[2] or "CPU 127" in case[2] else ("run", "plan"))]


@pytest.mark.parametrize(("command", "words", "item", "said"), EAL_CASES, ids=[f"{command} {' '.join(words)}" for command, words, _, _ in EAL_CASES])
def test_a_word_of_the_files_eal_is_told_by_its_line_before_the_eal_starts(packetwarp, command, words, item, said):
    path = write(packetwarp.folder, "eal:\n" + "".join(f"  - {word}\n" for word in words) + RIGHT)
    done = packetwarp.run(command, ["-c", path])
    assert_refused(done, f"{path}:{item + 2}: eal[{item}]: ", *said)
    assert len(done.stderr.splitlines()) == 1, done


def test_the_files_eal_is_not_looked_at_where_the_command_line_has_one(packetwarp):
    path = write(packetwarp.folder, f"eal: [--fly]\n{RIGHT}")
    assert packetwarp.run("run", PORTS, ["-c", str(path), "--duration", "50ms"]).status == DONE


def test_an_eal_option_in_the_file_that_is_wrong(packetwarp):
    path = write(packetwarp.folder, f'eal: {{lcores: "0"}}\n{RIGHT}')
    assert_refused(packetwarp.run("run", ["-c", path]), f"{path}:1: ", "eal", "list")

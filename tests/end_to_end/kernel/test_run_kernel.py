# SPDX-License-Identifier: Apache-2.0
"""Kernel interfaces of `packetwarp run`: programs on this machine are reached by the router's addresses, and reach others
through its ports. The kernel that they are of is the middle one's, between two hosts with kernels of their own."""
from __future__ import annotations

import contextlib
import copy
import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from harness import ROOT, WRONG_USAGE
from namespaces import stop, wait_for
from raw_interface import RawInterface
from router_network import (LEFT_HOST_MAC, RouterNetwork, everything_on, fetch, iperf3, listening, ping, ping_in_vain, router_between,
                            serving, two_networks)
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Ether

TWIN, OWN, OWN6 = "left.kni", "1.1.1.1", "2001:db8:1::1"
HOST, HOST6 = "1.1.1.2", "2001:db8:1::2"
LEFT_MAC = "4a:ac:4f:29:87:80"
BOTH = True, True
CONTENT = bytes(n * 7 % 251 for n in range(700_000))


def with_kernel(left: Any = True, right: Any = False) -> dict[str, Any]:
    """The two networks, with kernel interfaces beside the ports."""
    file = two_networks()
    for interface, kernel in zip(file["interfaces"], (left, right)):
        interface["kernel"] = kernel
    return file


@contextlib.contextmanager
def network(packetwarp, namespaces, file: dict[str, Any] | None = None, **more: Any) -> Iterator[RouterNetwork]:
    """The middle's kernel has the wires' near ends, too: they are packetwarp's, so it answers nothing there."""
    with router_between(packetwarp, namespaces, file or with_kernel(), **more) as made:
        for wire in ("w0", "w1"):
            made.middle.sysctl(f"net.ipv4.conf.{wire}.arp_ignore", 8)
        yield made


def kernel_of(report: dict[str, Any], name: str = TWIN) -> dict[str, Any]:
    [one] = [kernel for kernel in report["kernel"] if kernel["name"] == name]
    return one


def test_the_kernel_has_the_interface_as_it_is(packetwarp, namespaces):
    with network(packetwarp, namespaces) as made:
        link = made.middle.ip("-o", "link", "show", TWIN).stdout
        assert LEFT_MAC in link and "mtu 1500" in link and ",UP" in link and "PROMISC" not in link
        addresses = made.middle.ip("-o", "address", "show", "dev", TWIN).stdout
        assert f"{OWN}/24" in addresses and f"{OWN6}/64" in addresses
        assert "right.kni" not in made.middle.interfaces()
        kernel = kernel_of(made.end().result)
        assert (kernel["port"], kernel["driver"]) == (0, "tap")


@pytest.mark.parametrize("to", (OWN, OWN6))
def test_pings_to_an_own_address_are_the_kernels_to_answer(packetwarp, namespaces, to):
    with network(packetwarp, namespaces) as made:
        answered = ping(made.left, to, count=5)
        assert (answered.received, answered.says("DUP!")) == (5, 0), answered.output
        report = made.end().result
        kernel = kernel_of(report)
        assert kernel["in"]["to_kernel"] >= 5 and kernel["out"]["sent"] >= 5
        assert kernel["in"]["dropped"] == kernel["out"]["dropped"] == {}


LINK_LOCAL = "fe80::48ac:4fff:fe29:8780"  # of LEFT_MAC (RFC 4291, appendix A)


@pytest.mark.parametrize("addresses", ([f"{OWN}/24"], [f"{OWN}/24", f"{OWN6}/64"]), ids=("without ipv6", "with ipv6"))
def test_pings_to_the_link_local_address_are_answered(packetwarp, namespaces, addresses):
    """By the kernel where it has IPv6, else without it."""
    with network(packetwarp, namespaces, with_kernel({"addresses": addresses})) as made:
        assert ping(made.left, f"{LINK_LOCAL}%l0").received == 3
        by_packetwarp = made.end().packets.tx
        assert (by_packetwarp >= 3) == (len(addresses) == 1)


def test_pings_to_an_interface_without_one_are_answered_as_ever(packetwarp, namespaces):
    with network(packetwarp, namespaces) as made:
        assert ping(made.right, "2.2.2.1").received == 3
        assert ping(made.left, "2.2.2.1").received == 3
        assert made.end().packets.tx >= 6


def test_what_is_routed_does_not_see_it(packetwarp, namespaces):
    with network(packetwarp, namespaces, with_kernel(*BOTH)) as made:
        for to in ("2.2.2.2", "2001:db8:2::2"):
            assert ping(made.left, to).received == 3
        assert iperf3(made.left, made.right, "2.2.2.2")["sum_received"]["bytes"] > 0
        report = made.end().result
        assert report["packets"]["tx"] > 100
        assert kernel_of(report)["in"]["handed_over"] + kernel_of(report, "right.kni")["in"]["handed_over"] < 100


@pytest.mark.parametrize(("own", "by"), ((OWN, "left"), (OWN6, "left")))
def test_a_server_on_the_router_is_reached(packetwarp, namespaces, tmp_path, own, by):
    with network(packetwarp, namespaces) as made:
        with serving(made.middle, own, tmp_path, CONTENT):
            assert fetch(getattr(made, by), own, tmp_path) == CONTENT
        kernel = kernel_of(made.end().result)
        assert kernel["out"]["sent"] > len(CONTENT) // 1500


@pytest.mark.parametrize("host", (HOST, HOST6))
def test_the_router_reaches_servers(packetwarp, namespaces, tmp_path, host):
    with network(packetwarp, namespaces) as made:
        with serving(made.left, host, tmp_path, CONTENT):
            assert fetch(made.middle, host, tmp_path) == CONTENT
        neighbours = made.middle.ip("neighbour", "show", "dev", TWIN).stdout
        assert f"{host} lladdr {LEFT_HOST_MAC}" in neighbours, "the answer came to the kernel that had asked"
        made.end()


def test_both_kernel_interfaces_at_once(packetwarp, namespaces, tmp_path):
    with network(packetwarp, namespaces, with_kernel(*BOTH)) as made:
        with serving(made.middle, "0.0.0.0", tmp_path, CONTENT):
            for host, own in ((made.left, OWN), (made.right, "2.2.2.1")):
                assert fetch(host, own, tmp_path) == CONTENT
        made.end()


RECEIVER = """
import socket, struct, sys
group, interface = sys.argv[1:]
v6 = ":" in group
made = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_DGRAM)
index = socket.if_nametoindex(interface)
made.bind(("::" if v6 else "", 5000))
if v6:
    made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, socket.inet_pton(socket.AF_INET6, group) + struct.pack("@I", index))
else:
    made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + struct.pack("@4si", bytes(4), index))
print("joined", flush=True)
print(made.recv(2000).decode(), flush=True)
"""


@pytest.mark.parametrize(("group", "mac", "source"), (
    ("224.0.0.5", "01:00:5e:00:00:05", HOST), ("ff02::5", "33:33:00:00:00:05", "fe80::ff:fe00:102")))
def test_groups_are_the_kernels(packetwarp, namespaces, group, mac, source):
    """As routing protocols use them (RFC 2328, RFC 5340)."""
    with network(packetwarp, namespaces) as made:
        receiver = made.middle.popen(sys.executable, "-c", RECEIVER, group, TWIN, stdout=-1, text=True)
        try:
            assert receiver.stdout.readline() == "joined\n"
            header = IPv6(src=source, dst=group, hlim=1) if ":" in group else IP(src=source, dst=group, ttl=1)
            with RawInterface(made.left, "l0") as wire:
                wire.send(bytes(Ether(src=LEFT_HOST_MAC, dst=mac) / header / UDP(sport=1, dport=5000) / b"to the group"))
            assert receiver.stdout.readline() == "to the group\n"
        finally:
            stop(receiver)
        made.end()


def test_who_asks_for_an_own_address_gets_one_answer(packetwarp, namespaces):
    """ARP is packetwarp's, echo is the kernel's: never both."""
    with network(packetwarp, namespaces, ipv6=False) as made:
        with RawInterface(made.left, "l0") as wire:
            ask = Ether(src=LEFT_HOST_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=LEFT_HOST_MAC, psrc=HOST, pdst=OWN)
            echo = Ether(src=LEFT_HOST_MAC, dst=LEFT_MAC) / IP(src=HOST, dst=OWN) / ICMP(id=7, seq=8) / b"once"
            for frame in (ask, echo):
                wire.send(bytes(frame))
            frames = [Ether(frame) for frame in everything_on(wire)]
        answers = [frame for frame in frames if ARP in frame and frame[ARP].op == 2]
        replies = [frame for frame in frames if ICMP in frame and frame[ICMP].type == 0]
        assert [(frame.src, frame[ARP].psrc) for frame in answers] == [(LEFT_MAC, OWN)]
        assert [bytes(frame[ICMP].payload) for frame in replies] == [b"once"]
        made.end()


OWN_MAC, ITS_ADDRESS = "02:00:00:00:88:88", "1.1.1.88"


def test_a_mac_address_and_addresses_of_its_own(packetwarp, namespaces, tmp_path):
    """A host beside the router, on the same wire: it answers for itself."""
    file = with_kernel({"name": "svc0", "mac": OWN_MAC, "addresses": [f"{ITS_ADDRESS}/24"]})
    with network(packetwarp, namespaces, file) as made:
        assert ping(made.left, ITS_ADDRESS).received == 3
        assert ping(made.left, OWN).received == 3, "the router's, answered by itself"
        assert f"{ITS_ADDRESS} dev l0 lladdr {OWN_MAC}" in made.left.ip("neighbour", "show").stdout
        with serving(made.middle, ITS_ADDRESS, tmp_path, CONTENT):
            assert fetch(made.left, ITS_ADDRESS, tmp_path) == CONTENT
        assert ping(made.left, "2.2.2.2").received == 3
        made.end()


def test_an_address_more_than_the_interface_has(packetwarp, namespaces, tmp_path):
    """The reference's 192.168.88.88: the kernel's alone, with the interface's MAC address."""
    file = with_kernel({"addresses": ["1.1.1.88/24"]})
    with network(packetwarp, namespaces, file) as made:
        for to in (ITS_ADDRESS, OWN):
            assert ping(made.left, to).received == 3
        assert f"{ITS_ADDRESS} dev l0 lladdr {LEFT_MAC}" in made.left.ip("neighbour", "show").stdout
        with serving(made.middle, ITS_ADDRESS, tmp_path, CONTENT):
            assert fetch(made.left, ITS_ADDRESS, tmp_path) == CONTENT
        report = made.end().result
        assert report["packets"]["tx"] >= 3, "the router's own address is not the kernel's: answered without it"


SPEAKER = ROOT / "tests/end_to_end/bgp_speaker.py"


def test_a_bgp_session_with_a_neighbour(packetwarp, namespaces):
    """OPEN and KEEPALIVE both ways on port 179 (RFC 4271): what a routing daemon on the router needs."""
    with network(packetwarp, namespaces) as made:
        speak = (sys.executable, str(SPEAKER))
        with listening(made.middle, 179, *speak, "listen", OWN, "65001"):
            said = made.left.run(*speak, "connect", OWN, "65002").stdout
        assert said.split() == ["established", "65001"]
        made.end()


# As Debian's package has it, unpacked and not installed: no daemon of the system is started. In build/bird:
# apt-get download bird2 libssh-gcrypt-4; for file in *.deb; do dpkg -x $file .; done
UNPACKED = ROOT / "build" / "bird"


def bird() -> tuple[str, dict[str, str]]:
    """A BIRD to run, and its environment."""
    if found := shutil.which("bird"):
        return found, {}
    if (found := UNPACKED / "usr/sbin/bird").is_file():
        return str(found), {"LD_LIBRARY_PATH": str(UNPACKED / "usr/lib/x86_64-linux-gnu")}
    pytest.skip("no bird: install bird2, or unpack it below build/bird")


SESSIONS = {
    "bgp": "protocol bgp {{ local {own} as {own_as}; neighbor {peer} as {peer_as}; connect delay time 1; ipv4 {{ import all; "
           "export all; }}; }}",
    # By 224.0.0.5, with a hop limit of 1.
    "ospf": 'protocol ospf v2 {{ ipv4 {{ import all; export all; }}; area 0 {{ interface "{interface}" {{ type ptp; hello 1; '
            'dead 4; }}; }}; }}',
}


@pytest.mark.parametrize("protocol", SESSIONS)
def test_a_routing_daemon_learns_a_route(packetwarp, namespaces, tmp_path, protocol):
    """BIRD on the router and on the host: the host's static route comes to stand in the router's kernel."""
    program, environment = bird()
    with network(packetwarp, namespaces, ipv6=False) as made:
        ends = ((made.left, "l0", {"own": HOST, "own_as": 65002, "peer": OWN, "peer_as": 65001},
                 "protocol static { ipv4; route 203.0.113.0/24 blackhole; }"),
                (made.middle, TWIN, {"own": OWN, "own_as": 65001, "peer": HOST, "peer_as": 65002},
                 "protocol kernel { ipv4 { export all; import none; }; }"))
        with contextlib.ExitStack() as daemons:
            for namespace, interface, words, more in ends:
                config = tmp_path / f"{interface}.conf"
                session = SESSIONS[protocol].format(interface=interface, **words)
                config.write_text(f"router id {words['own']};\nprotocol device {{ scan time 1; }}\n{session}\n{more}\n")
                daemon = namespace.popen(program, "-f", "-c", str(config), "-s", str(tmp_path / f"{interface}.ctl"),
                                         env={**os.environ, **environment})
                daemons.callback(stop, daemon)
            wait_for(lambda: f"via {HOST} dev {TWIN}" in made.middle.ip("route", "show", "203.0.113.0/24").stdout,
                     "the route", seconds=90)
        made.end()


def test_sockets_over_the_kernel_carry_much(packetwarp, namespaces):
    with network(packetwarp, namespaces) as made:
        for reverse in ((), ("--reverse",)):
            assert iperf3(made.left, made.middle, OWN, *reverse)["sum_received"]["bytes"] > 1_000_000
        made.end()


@pytest.mark.parametrize("how", (signal.SIGTERM, signal.SIGKILL))
def test_the_kernel_interface_goes_with_packetwarp(packetwarp, namespaces, how):
    with network(packetwarp, namespaces) as made:
        assert TWIN in made.middle.interfaces()
        made.routing.send(how).process.wait(30)
        wait_for(lambda: TWIN not in made.middle.interfaces(), "the kernel interface to go")


FETCH = "curl --silent --max-time 30 http://127.0.0.1:9464/readyz"


def test_one_that_is_deleted_is_told_and_its_packets_are_dropped_by_name(packetwarp, namespaces, tmp_path):
    events = tmp_path / "events.jsonl"
    with network(packetwarp, namespaces, with_kernel() | {"metrics": 9464, "event_log": str(events)}) as made:
        made.middle.ip("link", "set", "lo", "up")
        assert ping(made.left, OWN).received == 3
        ready = '{"ready":true,"why":[]}\n'
        wait_for(lambda: made.middle.run(*FETCH.split()).stdout == ready, "links that have just come up to be seen")
        made.middle.ip("link", "delete", TWIN)
        made.routing.wait_for_log(f"kernel interface {TWIN}: it was deleted")
        gone = f'{{"ready":false,"why":["kernel interface {TWIN}: deleted"]}}\n'
        wait_for(lambda: made.middle.run(*FETCH.split()).stdout == gone, "the kernel interface to be missed")
        assert ping_in_vain(made.left, OWN, count=3).received == 0
        assert ping(made.left, "2.2.2.2").received == 3, "it routes as before"
        metrics = made.middle.run(*FETCH.replace("readyz", "metrics").split()).stdout
        lost = re.search(rf'packetwarp_kernel_packets_dropped_total{{interface="{TWIN}",port="0",direction="to",reason="kernel_lost"}} (\d+)', metrics)
        assert lost and int(lost[1]) >= 3, metrics
        assert f'packetwarp_kernel_interface_present{{interface="{TWIN}",port="0"}} 0' in metrics, metrics
        done = made.end()
        kernel = kernel_of(done.result)
        assert kernel["state"] == "lost" and kernel["in"]["dropped"]["kernel_lost"] >= 3
        assert [line for line in done.log if "it was deleted" in line] == done.errors, "it is told once"
    told = [json.loads(line) for line in events.read_text().splitlines()]
    assert [(one["port"], one["name"]) for one in told if one["event"] == "kernel_interface_lost"] == [(0, TWIN)]


def test_one_that_is_renamed_goes_on(packetwarp, namespaces):
    file = with_kernel({"announce": [{"to": "203.0.113.0/26"}]})
    with network(packetwarp, namespaces, file) as made:
        made.middle.ip("link", "set", TWIN, "down")
        made.middle.ip("link", "set", TWIN, "name", "other")
        made.middle.ip("link", "set", "other", "up")
        made.routing.wait_for_log(f"kernel interface {TWIN}: it is called other now")
        assert ping(made.left, OWN).received == 3
        done = made.end()
        assert kernel_of(done.result)["state"] == "here" and not done.errors


def test_a_name_that_is_taken(packetwarp, namespaces):
    with network(packetwarp, namespaces) as made:
        config = packetwarp.write_config(with_kernel({"name": TWIN}), packetwarp.folder / "..")
        second = packetwarp.run("run", ["--in-memory", "--no-pci", "--vdev=net_null0", "--vdev=net_null1", "-l", "0"],
                                ["-c", str(config), "--duration", "1s"], within=made.middle.command())
        assert second.status == 1
        assert second.errors == [f"packetwarp: error: kernel interface {TWIN} (tap): there is an interface of that name "
                                 "already; give the kernel interface another"]


def test_reload_keeps_it(packetwarp, namespaces):
    with network(packetwarp, namespaces) as made:
        file = with_kernel()
        file["routes"] = [{"to": "198.51.100.0/24", "via": "2.2.2.2"}]
        packetwarp.write_config(file)
        made.routing.send(signal.SIGHUP).wait_for_log("1 routes and 0 neighbours changed")
        assert ping(made.left, OWN).received == 3
        file["interfaces"][0]["kernel"] = {"name": "other"}
        packetwarp.write_config(file)
        made.routing.send(signal.SIGHUP).wait_for_log("cannot change while it runs")
        assert ping(made.left, OWN).received == 3
        made.end()


BAD = {
    "neither true nor a map": ("perhaps", r"kernel: 'perhaps' is neither true nor false"),
    "a list": ([1], r"kernel: has to be a map with the keys name, mac, addresses, driver, flows"),
    "an unknown key": ({"ip": OWN}, r"kernel: no key 'ip'; there are name, mac, addresses, driver, flows"),
    "no interface's name": ({"name": "a b"}, r"kernel\.name: 'a b' is no name that the kernel takes"),
    "a name too long": ({"name": "0123456789abcdef"}, r"kernel\.name: '0123456789abcdef' is no name"),
    "a group's MAC address": ({"mac": "01:00:5e:00:00:01", "addresses": []}, r"kernel\.mac: "),
    "no driver": ({"driver": "kni"}, r"kernel\.driver: 'kni' is none of auto, virtio_user, tap"),
    "no prefix": ({"addresses": ["1.1.1.1"]}, r"kernel\.addresses\[0\]: "),
    "own mac without addresses": ({"mac": OWN_MAC}, r"kernel: with a MAC address of its own it needs 'addresses'"),
    "own mac with the interface's": ({"mac": OWN_MAC, "addresses": [f"{OWN}/24"]},
                                     r"kernel: 1\.1\.1\.1 is the interface's, which has another MAC address"),
    "another interface's": ({"addresses": ["2.2.2.1/24"]}, r"kernel: 2\.2\.2\.1 is interface right's"),
    "a flow of nobody": ({"flows": ["9.9.9.9"]}, r"kernel: flows: the kernel interface has no address 9\.9\.9\.9"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_told_by_its_line(packetwarp, what):
    kernel, words = BAD[what]
    config = packetwarp.write_config(with_kernel(copy.deepcopy(kernel)))
    done = packetwarp.run("run", ["--in-memory", "--no-pci", "--vdev=net_null0", "--vdev=net_null1", "-l", "0"],
                          ["-c", str(config), "--duration", "1s"])
    assert done.status == WRONG_USAGE, done
    [error] = done.errors
    assert re.search(rf"network\.yaml:\d+: .*{words}", error), error


def test_two_of_one_name(packetwarp):
    config = packetwarp.write_config(with_kernel({"name": "same"}, {"name": "same"}))
    done = packetwarp.run("run", ["--in-memory", "--no-pci", "-l", "0"], ["-c", str(config)])
    assert done.status == WRONG_USAGE and "'same' is interface left's; give another name" in done.errors[0], done

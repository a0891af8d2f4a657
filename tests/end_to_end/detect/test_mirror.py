# SPDX-License-Identifier: Apache-2.0
"""`action: mirror` of `packetwarp run`: copies of anomalous packets, as they were received, by a port of their own, against scapy."""
from __future__ import annotations

import pathlib
from typing import Any

import pytest
from harness import ALONE, DONE, WRONG_USAGE, Program, Run
from live import ROUTED, routed, wait_until
from onnx_tree import question
from scapy.layers.inet import IP, TCP, UDP, fragment
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet
from scapy.utils import rdpcap, wrpcap
from sent_frames import sent_frames
from test_run_detect import FRAMES, HOST, LEFT, NETWORK, WITH_SYN, forwarded, segment

SPAN = {"name": "span", "port": 2, "mac": "02:00:00:00:00:03"}
MIRROR: dict[str, Any] = {"models": ["syn.onnx"], "action": "mirror", "mirror_to": "span"}
THREE: dict[str, Any] = {**NETWORK, "interfaces": [*NETWORK["interfaces"], SPAN]}


@pytest.fixture
def models(packetwarp: Program) -> pathlib.Path:
    for name in ("syn", "udp"):
        (packetwarp.folder / f"{name}.onnx").write_bytes(question(name, 0, threshold="0.5"))
    return packetwarp.folder


def run(packetwarp: Program, frames: list[Packet], detect: dict[str, Any], *, lcores: str = "0", spanned: list[Packet] | None = None,
        **sections: Any) -> tuple[Run, list[bytes], list[bytes]]:
    """Lets frames come in on the left, and `spanned` by the mirror port. Returns the frames that leave on the right, and the copies."""
    folder = packetwarp.folder
    file = packetwarp.write_config({**THREE, "detect": detect, **sections})
    for name, given in (("left", frames), ("right", []), ("span", spanned or [])):
        wrpcap(str(folder / f"{name}.pcap"), given)
    devices = [f"--vdev=net_pcap{n},rx_pcap={folder}/{name}.pcap,tx_pcap={folder}/{name}_out.pcap"
               for n, name in enumerate(("left", "right", "span"))]
    done = packetwarp.run("run", [*ALONE, "-l", lcores, *devices], ["-c", str(file), "--until-idle", "200ms", "--json", "-"], cwd=folder)
    assert done.status == DONE, done
    return done, *(sent_frames(folder / f"{name}_out.pcap") for name in ("right", "span"))


def copies(done: Run) -> tuple[int, dict[str, int]]:
    """Copies that left, and packets without the copy that they should have had; every packet itself is conserved."""
    packets = done.result["packets"]
    assert packets["rx"] == packets["tx"] + packets["punted"] + sum(packets["dropped"].values()), done
    mirrors = [pipeline["mirror"] for pipeline in done.result["pipelines"]]
    lost: dict[str, int] = {}
    for mirror in mirrors:
        for why, count in mirror["lost"].items():
            lost[why] = lost.get(why, 0) + count
    sent = sum(mirror["sent"] for mirror in mirrors)
    assert sent + sum(lost.values()) + done.result["detect"]["mirror"]["limited"] == done.result["detect"]["models"][0]["anomalous"], done
    return sent, lost


@pytest.mark.parametrize(("lcores", "workers"), (("0", "run-to-completion"), ("0-1", "isolated-rx")))
def test_a_copy_of_each_anomalous_packet_leaves_and_the_packet_takes_its_way(packetwarp, models, lcores, workers):
    done, left, copied = run(packetwarp, FRAMES, MIRROR, lcores=lcores, data_plane={"workers": workers})
    assert left == [forwarded(frame) for frame in FRAMES]
    assert copied == [bytes(frame) for frame in WITH_SYN]
    assert copies(done) == (len(WITH_SYN), {}) and done.result["packets"]["tx"] == len(FRAMES)
    assert f"mirror   {len(WITH_SYN)} copies sent" not in done.stdout, "standard output is JSON"
    span, = (port for port in done.result["ports"] if port["id"] == 2)
    assert span["tx_packets"] == len(rdpcap(str(models / "span_out.pcap")))


def test_copies_are_as_received_whatever_becomes_of_the_packet(packetwarp, models):
    """Packets that are routed, expire, have no route, have another MAC address or are for the router itself, with tags and options, short and long."""
    tcp = TCP(sport=7, dport=80, flags="S")
    ether = Ether(src=HOST, dst=LEFT)
    frames = [segment(1, "S"), ether / IP(src="192.0.2.9", dst="203.0.113.5", ttl=1) / tcp, ether / IP(src="192.0.2.9", dst="9.9.9.9") / tcp,
              Ether(src=HOST, dst="02:00:00:00:00:77") / IP(src="192.0.2.9", dst="203.0.113.5") / tcp, ether / IP(src="192.0.2.9", dst="192.0.2.1") / tcp,
              ether / Dot1Q(vlan=5) / IP(src="192.0.2.9", dst="203.0.113.5") / tcp,
              ether / IP(src="192.0.2.9", dst="203.0.113.5", options=b"\x01" * 40) / tcp,
              ether / IPv6(src="2001:db8:1::9", dst="2001:db8:ff::5", hlim=1) / tcp,
              *(ether / IP(src="192.0.2.9", dst="203.0.113.5") / tcp / bytes(n % 256 for n in range(size)) for size in (0, 138, 139, 1400, 1460))]
    done, left, copied = run(packetwarp, frames, MIRROR)
    assert copied == [bytes(frame) for frame in frames]
    assert copies(done) == (len(frames), {})
    assert 0 < len(left) < len(frames) and done.result["packets"]["rx"] == len(frames), done


def test_a_packet_that_nat44_translates_is_copied_with_its_inside_address(packetwarp, models):
    done, left, copied = run(packetwarp, FRAMES, MIRROR, nat44={"inside": ["left"], "outside": ["right"], "pool": ["198.51.100.1"]})
    assert copied == [bytes(frame) for frame in WITH_SYN]
    assert {IP(frame[14:]).src for frame in left} == {"198.51.100.1"}
    assert copies(done) == (len(WITH_SYN), {})


def test_rules_before_and_after_it_leave_the_copy_as_it_was_received(packetwarp, models):
    """A rule pushes a tag when the packet leaves; a rule before `detect` drops what has then no copy."""
    (models / "flow.rules").write_text(
        "flow create 0 ingress pattern eth / ipv4 / tcp dst is 81 / end actions drop / end\n"
        "flow create 1 egress pattern eth / ipv4 / end actions of_push_vlan ethertype 0x8100 / of_set_vlan_vid vlan_vid 9 / end\n")
    dropped = [Ether(src=HOST, dst=LEFT) / IP(src="192.0.2.9", dst="203.0.113.5") / TCP(sport=9, dport=81, flags="S")]
    done, left, copied = run(packetwarp, [*FRAMES, *dropped], MIRROR, rules={"file": "flow.rules", "on": "cpu"})
    assert copied == [bytes(frame) for frame in WITH_SYN]
    assert all(Ether(frame)[Dot1Q].vlan == 9 for frame in left) and len(left) == len(FRAMES)
    assert done.result["packets"]["tx"] == len(FRAMES)


def test_fragments_are_copied_and_the_datagram_of_them_is_not(packetwarp, models):
    """NAT44 has the control plane put the datagram together, which comes again in front of `detect`."""
    whole = Ether(src=HOST, dst=LEFT) / IP(src="192.0.2.9", dst="203.0.113.5", id=7) / UDP(sport=5, dport=53) / (b"x" * 2000)
    pieces = [Ether(bytes(piece)) for piece in fragment(whole, fragsize=1000)]
    done, left, copied = run(packetwarp, pieces, {**MIRROR, "models": ["udp.onnx"]},
                             nat44={"inside": ["left"], "outside": ["right"], "pool": ["198.51.100.1"]})
    assert copied == [bytes(piece) for piece in pieces]
    assert copies(done)[1] == {"comes_again": 1} and left, done


def test_what_comes_by_the_mirror_port_is_not_copied_to_it(packetwarp, models):
    done, _, copied = run(packetwarp, FRAMES, MIRROR, spanned=WITH_SYN)
    assert copied == [bytes(frame) for frame in WITH_SYN]
    assert copies(done) == (len(WITH_SYN), {"from_mirror_port": len(WITH_SYN)})


def test_a_copy_longer_than_the_mirror_interfaces_mtu_is_counted_and_its_packet_goes_on(packetwarp, models):
    """1,240 bytes of payload make an IP packet of 1,280 bytes; a tag does not count."""
    frames = [Ether(src=HOST, dst=LEFT) / IP(src="192.0.2.9", dst="203.0.113.5") / TCP(sport=7, dport=80, flags="S") / bytes(size) for size in (1240, 1241)]
    tagged = Ether(src=HOST, dst=LEFT) / Dot1Q(vlan=5) / frames[0][IP]
    done, left, copied = run(packetwarp, [*frames, tagged], MIRROR, interfaces=[*NETWORK["interfaces"], {**SPAN, "mtu": 1280}])
    assert copied == [bytes(frames[0]), bytes(tagged)]
    assert copies(done) == (2, {"tx_too_long": 1}) and left[:2] == [forwarded(frame) for frame in frames]


def test_copies_beyond_the_rate_are_counted_and_their_packets_go_on(packetwarp, models):
    frames = [segment(1000 + n, "S") for n in range(500)]
    done, left, copied = run(packetwarp, frames, {**MIRROR, "mirror_rate": 20})
    assert left == [forwarded(frame) for frame in frames]
    sent, lost = copies(done)
    assert lost == {} and sent == len(copied) and 20 <= sent <= 100 and set(copied) <= {bytes(frame) for frame in frames}
    assert done.result["detect"]["mirror"] == {"to": "span", "limited": len(frames) - sent}


REFUSED = [
    ({"mirror_to": "nowhere"}, "detect.mirror_to: no interface 'nowhere'; there are left, right, span"),
    ({"mirror_to": "span", "action": "drop"}, "detect.mirror_to: only 'action: mirror' sends copies"),
    ({"action": "count", "mirror_rate": 5}, "detect.mirror_rate: only 'action: mirror' sends copies"),
    ({"action": "mirror"}, "detect.action: 'mirror' needs 'mirror_to', the interface by which copies leave"),
    ({"mirror_to": "span", "action": "mirror", "mirror_rate": 1_000_001}, "detect.mirror_rate: "),
]


@pytest.mark.parametrize(("more", "line"), REFUSED, ids=[line[:60] for _, line in REFUSED])
def test_a_wrong_section_is_refused_in_a_line(packetwarp, models, more, line):
    refuse(packetwarp, {**THREE, "detect": {"models": ["syn.onnx"], "action": "mirror", **more}}, line)


def test_the_only_interface_is_no_mirror_port(packetwarp, models):
    only = {"interfaces": [{"name": "left", "port": 0, "addresses": ["192.0.2.1/24"]}]}
    refuse(packetwarp, {**only, "detect": {**MIRROR, "mirror_to": "left"}},
           "detect.mirror_to: 'left' is the only interface, and packets that it receives are not copied to it; add one")


def refuse(packetwarp: Program, file: dict[str, Any], line: str) -> None:
    devices = [f"--vdev=net_null{n}" for n in range(len(file["interfaces"]))]
    done = packetwarp.run("run", [*ALONE, "-l", "0", *devices], ["-c", str(packetwarp.write_config(file))], cwd=packetwarp.folder)
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert f"{packetwarp.folder / 'network.yaml'}:" in done.errors[0] and line in done.errors[0], done.errors


def test_plan_tells_of_the_mirror(packetwarp, models):
    file = packetwarp.write_config({**THREE, "detect": {**MIRROR, "mirror_rate": 50}})
    done = packetwarp.run("plan", [*ALONE, "-l", "0", *(f"--vdev=net_null{n}" for n in range(3))], ["-c", str(file)], cwd=packetwarp.folder)
    assert done.status == DONE and "copies leave by span, 50 per second and pipeline at most" in done.stdout, done


def test_a_reload_changes_rate_and_action_and_no_mirror_port(packetwarp, models):
    """Every packet has its verdict and is sent, with and without copies."""
    def file(**detect: Any) -> dict[str, Any]:
        return {**ROUTED, "interfaces": [*ROUTED["interfaces"], SPAN],
                "detect": {"models": [str(models / "udp.onnx")], "action": "mirror", "mirror_to": "span", **detect}}

    def mirror_of(running: Any) -> dict[str, Any]:
        return running.json("show", "detect")["mirror"]

    with routed_with_span(packetwarp, file(mirror_rate=0)) as running:
        wait_until(running, lambda: mirror_of(running)["limited"] > 100, "packets beyond the limit")
        assert mirror_of(running)["sent"] == 0
        running.write(file(mirror_rate=1_000_000))
        running.json("reload")
        wait_until(running, lambda: mirror_of(running)["sent"] > 100, "copies")
        text = running.said("show", "detect")
        assert "copies sent by span, " in text and "beyond mirror_rate" in text, text
        for wanted, words in ((file(mirror_to="right"), "copies leave by 'span', and a reload cannot change that"),):
            running.write(wanted)
            refused = running.ask("reload")
            assert refused.status == WRONG_USAGE and words in refused.errors[0], refused
        without = file()
        without["detect"] = {"models": [str(models / "udp.onnx")], "action": "count"}
        running.write(without)
        running.json("reload")
        assert "mirror" not in running.json("show", "detect")
        running.write(file())
        running.json("reload")
        done = running.running.interrupt()
    packets = done.packets
    assert packets.dropped == {} and packets.rx == packets.tx, done
    assert sum(pipeline["mirror"]["sent"] for pipeline in done.result["pipelines"]) > 100


def test_a_reload_does_not_begin_to_copy(packetwarp, models):
    def file(**detect: Any) -> dict[str, Any]:
        return {**ROUTED, "interfaces": [*ROUTED["interfaces"], SPAN], "detect": {"models": [str(models / "udp.onnx")], **detect}}

    with routed_with_span(packetwarp, file(action="count")) as running:
        running.write(file(action="mirror", mirror_to="span"))
        refused = running.ask("reload")
        assert refused.status == WRONG_USAGE and "this network began without copies" in refused.errors[0], refused
        assert running.json("show", "detect")["action"] == "count"


def routed_with_span(packetwarp: Program, file: dict[str, Any]) -> Any:
    return routed(packetwarp, file, eal=("--vdev=net_null2,no-rx=1",))

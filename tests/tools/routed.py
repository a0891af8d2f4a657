# SPDX-License-Identifier: Apache-2.0
"""A router in a program of its own, and scapy to say what has to come out of it."""
from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
import subprocess

import pytest
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The two interfaces of the router and a host behind each.
OWN_MAC = ["02:00:00:00:00:01", "02:00:00:00:00:02"]
OWN_IP = ["10.0.0.1", "10.1.0.1"]
OWN_IP6 = ["2001:db8:0::1", "2001:db8:1::1"]
ANYCAST = ["2001:db8::", "2001:db8:1::"]  # of the two subnets' routers (RFC 4291, 2.6.1)
HOST_MAC = ["02:00:00:00:01:01", "02:00:00:00:01:02"]
HOST_IP = ["10.0.0.2", "10.1.0.2"]
HOST_IP6 = ["2001:db8:0::2", "2001:db8:1::2"]
FAR_IP = "198.51.100.7"  # beyond the host on interface 1
FAR_IP6 = "2001:db8:ff::7"


@dataclasses.dataclass(frozen=True)
class Outcome:
    what: str
    why: str
    to: int | None
    frame: bytes

    @property
    def packet(self) -> Packet:
        return Ether(self.frame)


def two_interfaces(**more) -> dict:
    """The table that most tests use: a router between two networks, and routes to the networks behind one of them."""
    table = {
        "interfaces": [{"mac": OWN_MAC[n], "mtu": 1500, "addresses": [f"{OWN_IP[n]}/24", f"{OWN_IP6[n]}/64"]}
                       for n in range(2)],
        "routes": [{"to": "198.51.100.0/24", "by": HOST_IP[1], "interface": 1},
                   {"to": "2001:db8:ff::/48", "by": HOST_IP6[1], "interface": 1}],
        "neighbours": [{"interface": n, "address": address, "mac": HOST_MAC[n]}
                       for n in range(2) for address in (HOST_IP[n], HOST_IP6[n])],
    }
    return table | more


class Router:
    """Runs frames through the tool, with empty tables for each call. Calls without a control plane share a process of it, because
    its start, with a sanitizer, takes ten times as long as the frames."""

    def __init__(self, tool: pathlib.Path):
        self.tool = tool
        self._alone: subprocess.Popen[str] | None = None

    def run(self, table: dict, *steps: dict) -> list[list[Outcome]]:
        given = json.dumps(table | {"steps": steps})
        said = self._by_own_process(given) if "control" in table else self._by_shared_process(given)
        return [[Outcome(o["what"], o["why"], o.get("to"), bytes.fromhex(o["frame"])) for o in outcomes]
                for outcomes in json.loads(said)]

    def _by_own_process(self, given: str) -> str:
        done = subprocess.run([self.tool], input=given, text=True, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _by_shared_process(self, given: str) -> str:
        if self._alone is None:
            self._alone = subprocess.Popen([self.tool], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with contextlib.suppress(BrokenPipeError):
            self._alone.stdin.write(given + "\n")
            self._alone.stdin.flush()
        said = self._alone.stdout.readline()
        if not said:
            died, self._alone = self._alone, None
            raise AssertionError(died.communicate(timeout=60)[1])
        return said

    def end(self) -> None:
        """The process that calls shared ends well."""
        if self._alone is not None:
            _, errors = self._alone.communicate(timeout=60)
            assert self._alone.returncode == 0, errors

    def route(self, packet: Packet | bytes, ingress: int = 0, table: dict | None = None, **more) -> Outcome:
        """The router's own result for one frame."""
        return self.run(table or two_interfaces(), frame_at(packet, ingress, **more))[0][0]


def frame_at(packet: Packet | bytes, ingress: int = 0, **more) -> dict:
    return {"ingress": ingress, "frame": bytes(packet).hex()} | more


def wait(milliseconds: int) -> dict:
    return {"wait_ms": milliseconds}


def to_router(payload: Packet, ingress: int = 0) -> Packet:
    """A frame from the host behind an interface to the router."""
    return Ether(src=HOST_MAC[ingress], dst=OWN_MAC[ingress]) / payload


def forwarded(packet: Packet, egress: int = 1) -> bytes:
    """What has to leave towards the host behind an interface: one hop less, sums made anew by scapy."""
    wanted = Ether(bytes(packet))
    wanted.src, wanted.dst = OWN_MAC[egress], HOST_MAC[egress]
    if IP in wanted:
        wanted[IP].ttl -= 1
        del wanted[IP].chksum
    else:
        wanted[IPv6].hlim -= 1
    return bytes(wanted)


def assert_untouched(outcome: Outcome, packet: Packet | bytes, what: str, why: str) -> None:
    assert (outcome.what, outcome.why) == (what, why)
    assert outcome.frame.hex() == bytes(packet).hex(), "what is not forwarded stays as it was received"


def add_option(parser: pytest.Parser) -> None:
    default = ROOT / "build/release/tests/tools/route_frames"
    try:
        parser.addoption("--route-frames", type=pathlib.Path, default=default,
                         help="the program to test (default: build/release/tests/tools/route_frames)")
    except ValueError:
        pass  # both folders of its tests were given


def make_router(request: pytest.FixtureRequest) -> Router:
    tool = request.config.getoption("--route-frames").absolute()
    if not tool.is_file():
        pytest.fail(f"{tool} is not there: build it, or say which with --route-frames PATH", pytrace=False)
    return Router(tool)

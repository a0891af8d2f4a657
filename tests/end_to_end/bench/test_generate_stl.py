# SPDX-License-Identifier: Apache-2.0
"""TRex profiles are sent unmodified: each stream's packets are what its field engine makes of them, byte for byte."""
from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
from typing import Any

import check_l2fwd
import pytest
import stl_oracle
from harness import ALONE, DONE, FAILED, ROOT, WRONG_USAGE, Program, Run
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap
from trex_stl.reader import read_profile

PROFILES = ROOT / "tests" / "profiles"


def generate(packetwarp: Program, options: list[Any], eal: list[str] | None = None, **run: Any) -> Run:
    return packetwarp.run("generate", [*ALONE, *(eal or ["-l", "0"])], options, **run)


def result(packetwarp: Program, options: list[Any], eal: list[str] | None = None) -> dict[str, Any]:
    done = generate(packetwarp, [*options, "--json", "-"], eal)
    assert done.status == DONE, done
    return json.loads(done.stdout)


def captured(packetwarp: Program, folder: pathlib.Path, profile: str, count: int, *options: str) -> list[bytes]:
    """The packets that leave the port."""
    out = folder / "sent.pcap"
    report = result(packetwarp, ["--stl", PROFILES / profile, "--rx-ports", "none", "--count", count, *options],
                    ["-l", "0", f"--vdev=net_pcap0,tx_pcap={out}"])
    frames = check_l2fwd.read_with_scapy(out)
    assert len(frames) == report["sent"]["packets"]
    return frames


def by_stream(program: dict[str, Any], frames: list[bytes]) -> list[tuple[dict[str, Any], list[bytes]]]:
    """Streams of these profiles are told apart by their source MAC address, if several exist."""
    streams = program["streams"]
    if len(streams) == 1:
        return [(streams[0], frames)]
    split = [(one, [frame for frame in frames if frame[6:12] == bytes.fromhex(one["packet"])[6:12]]) for one in streams]
    assert sum(len(packets) for _, packets in split) == len(frames)
    return split


@pytest.mark.parametrize(("profile", "count"), [
    ("UDP_L3_P0.py", 5100), ("UDP_L3_P1.py", 5100), ("imix.py", 2000), ("ranges.py", 700), ("random_values.py", 2000),
    ("chain.py", 48), ("layers.py", 600)])
def test_every_packet_of_every_stream_is_what_its_field_engine_makes(packetwarp: Program, tmp_path, profile, count):
    program = read_profile(str(PROFILES / profile))
    frames = captured(packetwarp, tmp_path, profile, count, "-m", "max")
    assert len(frames) == count
    for stream, packets in by_stream(program, frames):
        assert packets or stream["is_dummy"], stream["name"]
        for number, (got, (wanted, values)) in enumerate(zip(packets, stl_oracle.expected(stream, packets), strict=True)):
            assert got == wanted, f"{stream['name']}, packet {number}: {got.hex()} instead of {wanted.hex()}"
            for one in stream["variables"]:
                if stl_oracle.is_random(one):
                    assert one["min"] <= values[one["name"]] <= one["max"]


def test_a_program_without_its_python_folder_says_so_before_it_sends(packetwarp: Program, tmp_path):
    alone = tmp_path / "packetwarp"
    shutil.copy(packetwarp.binary, alone)
    done = subprocess.run([alone, "generate", *ALONE, "-l", "0", "--", "--stl", PROFILES / "imix.py"], capture_output=True, text=True,
                          timeout=60, check=False)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, ""), done
    assert "python/read_stl_profile.py is not there" in done.stderr and done.stderr.count("\n") == 1, done


def random_values(packetwarp: Program, folder: pathlib.Path, number: int, count: int = 4000) -> list[int]:
    program = read_profile(str(PROFILES / "random_values.py"))
    stream, packets = by_stream(program, captured(packetwarp, folder, "random_values.py", count, "-m", "max"))[number]
    name = stream["variables"][0]["name"]
    return [values[name] for _, values in stl_oracle.expected(stream, packets)]


def test_random_values_take_all_of_a_small_range_about_equally(packetwarp: Program, tmp_path):
    values = random_values(packetwarp, tmp_path, 0)
    counts = [values.count(value) for value in range(1000, 1016)]
    assert sum(counts) == 1000
    assert 25 < min(counts) <= max(counts) < 110, counts  # 62.5 each; the generator is seeded, so they are always these


def test_repeatable_random_values_repeat(packetwarp: Program, tmp_path):
    values = random_values(packetwarp, tmp_path, 1)
    assert len(set(values[:7])) > 1
    assert all(values[i] == values[i % 7] for i in range(len(values)))


def test_sizes_vary_over_their_range(packetwarp: Program, tmp_path):
    values = random_values(packetwarp, tmp_path, 2)
    assert min(values) < 200
    assert max(values) > 900
    assert len(set(values)) > 300


def test_streams_share_the_port_as_their_rates_say(packetwarp: Program, tmp_path):
    program = read_profile(str(PROFILES / "imix.py"))
    frames = captured(packetwarp, tmp_path, "imix.py", 4800, "-m", "max")
    assert [len(packets) for _, packets in by_stream(program, frames)] == [2800, 1600, 400]


def test_chains_go_round_as_often_as_they_say_and_then_it_ends(packetwarp: Program, tmp_path):
    report = result(packetwarp, ["--stl", PROFILES / "chain.py", "--through", "-w cpu"])
    assert report["ended_by"] == "profile"
    assert [d["sent"] for d in report["directions"]] == [48, 48]
    frames = captured(packetwarp, tmp_path, "chain.py", 1000)
    assert [frame[11] for frame in frames] == ([0] * 3 + [1] * 8 + [3] * 5) * 3


def test_profiles_of_both_ports_go_through_the_data_plane(packetwarp: Program):
    both = f"{PROFILES / 'UDP_L3_P0.py'},{PROFILES / 'UDP_L3_P1.py'}"
    report = result(packetwarp, ["--stl", both, "--through", "-w cpu", "-m", "100kpps", "--count", "20k"])
    assert report["flawless"] is True
    assert report["traffic"] == "UDP_L3_P0.py, 1 stream; UDP_L3_P1.py, 1 stream"
    assert report["rate"] == "100 kpps a port"
    assert report["verification"] == "headers"  # their UDP checksums are not fixed
    assert [(d["sent"], d["received"]) for d in report["directions"]] == [(20_000, 20_000)] * 2


def test_checksums_are_looked_at_where_the_profile_keeps_them_right(packetwarp: Program):
    report = result(packetwarp, ["--stl", PROFILES / "imix.py", "--through", "-w cpu", "-m", "max", "--count", "5k"])
    assert (report["verification"], report["corrupted"], report["flawless"]) == ("checksums", 0, True)


def test_a_multiplier_is_of_all_streams_together(packetwarp: Program):
    eal = ["-l", "0", "--vdev=net_null0,copy=0,no-rx=1"]
    options = ["--stl", PROFILES / "imix.py", "--rx-ports", "none", "--duration", "200ms"]
    for speed, most in (("100kpps", 20_000), ("1000", 9_600), ("50mbps", 50e6 * 0.2 / 8 / 64)):
        packets = result(packetwarp, [*options, "-m", speed], eal)["sent"]["packets"]
        assert 0 < packets <= most + 4


def test_a_share_of_a_link_is_that(packetwarp: Program):
    report = result(packetwarp, ["--stl", PROFILES / "tunable.py", "-t", "rate=0.01", "--rx-ports", "none", "--duration",
                                 "100ms"], ["-l", "0", "--vdev=net_null0,copy=0,no-rx=1"])
    # 0.01 % of net_null's 10 Gb/s, in frames of 64 bytes with 20 of framing
    assert 0 < report["sent"]["packets"] <= 1e6 / 8 / 84 * 0.1 + 2


def test_ports_are_chosen_and_get_the_profile_of_their_direction(packetwarp: Program, tmp_path):
    ports = [f"--vdev=net_pcap{i},tx_pcap={tmp_path / f'{i}.pcap'}" for i in range(2)]
    report = result(packetwarp, ["--stl", PROFILES / "imix.py", "-p", "0,1", "--rx-ports", "none", "--count", "10"],
                    ["-l", "0", *ports])
    assert [d["from"] for d in report["directions"]] == [0, 1]
    assert [check_l2fwd.read_with_scapy(tmp_path / f"{i}.pcap")[0][26] for i in range(2)] == [16, 48]


@pytest.mark.parametrize(("options", "status", "words"), [
    (["--stl", "/no/such.py"], WRONG_USAGE, "--stl: /no/such.py: no such file"),
    (["--stl", str(PROFILES / "tunable.py"), "-t", "nix=1"], WRONG_USAGE, "unrecognized arguments: --nix 1"),
    (["--stl", str(PROFILES / "imix.py"), "--rate", "1mpps"], WRONG_USAGE, "--rate: a profile has its own rates; -m"),
    (["--stl", str(PROFILES / "imix.py"), "--size", "64"], WRONG_USAGE, "--size: the packets are the profile's"),
    (["--stl", str(PROFILES / "imix.py"), "-m", "2x"], WRONG_USAGE, "-m"),
    (["--stl", str(PROFILES / "imix.py"), "-m", "2x"], WRONG_USAGE, "or a plain factor above 0, such as 2 or 0.5"),
    (["--stl", str(PROFILES / "imix.py"), "-m", "0"], WRONG_USAGE, "-m: '0' is no factor; expected a plain factor above 0"),
    (["--stl", str(PROFILES / "imix.py"), "-m", ""], WRONG_USAGE, "-m: '' is no factor"),
    (["--stl", f"{PROFILES / 'imix.py'},{PROFILES / 'imix.py'}"], WRONG_USAGE, "--stl: port 1 does not exist"),
    (["--stl", str(PROFILES / "imix.py"), "-p", "1"], WRONG_USAGE, "-p: port 1 does not exist"),
    (["--stl", "a.py,b.py", "-p", "0"], WRONG_USAGE, "2 profiles for 1 port;"),
    (["--stl", str(PROFILES / "imix.py"), "--through", "-w cpu", "-p", "0"], WRONG_USAGE, "--through makes its own ports"),
    (["-m", "2"], WRONG_USAGE, "-m: is about a TRex profile; give one with --stl FILE"),
    (["--stl", str(PROFILES / "imix.py"), "-p", "7"], WRONG_USAGE, "port 7 does not exist"),
])
def test_bad_input_is_one_line_and_a_status(packetwarp: Program, options, status, words):
    eal = ["-l", "0"] if "--through" in options else ["-l", "0", "--vdev=net_null0"]
    done = generate(packetwarp, options, eal)
    assert done.status == status, done
    assert len(done.errors) == 1, done
    assert words in done.errors[0]


@pytest.mark.parametrize("word", ("--help", "-h"))
def test_a_profile_s_own_help_is_printed(packetwarp: Program, word):
    done = generate(packetwarp, ["--stl", PROFILES / "tunable.py", "-t", word], ["-l", "0", "--vdev=net_null0"])
    assert (done.status, done.errors) == (DONE, []), done
    assert "usage: " in done.stdout and "--fsize" in done.stdout and "packetwarp generate:" not in done.stdout, done


def test_a_profile_may_run_programs_that_print(packetwarp: Program, tmp_path):
    profile = tmp_path / "shell.py"
    profile.write_text("import os\nos.system('echo building')\nos.write(1, b'[')\n" + (PROFILES / "imix.py").read_text())
    assert len(captured(packetwarp, tmp_path, str(profile), 10)) == 10


def test_a_profile_that_writes_into_its_own_result_is_named(packetwarp: Program, tmp_path):
    profile = tmp_path / "wild.py"
    profile.write_text("import contextlib, os\nfor number in range(3, 20):\n    with contextlib.suppress(OSError):\n"
                       "        os.write(number, b'x')\n" + (PROFILES / "imix.py").read_text())
    done = generate(packetwarp, ["--stl", profile], ["-l", "0", "--vdev=net_null0"])
    assert done.status == FAILED and len(done.errors) == 1, done
    assert f"--stl {profile}: the profile's program cannot be read" in done.errors[0], done


def test_a_profile_that_ends_the_program_is_told_with_its_line(packetwarp: Program, tmp_path):
    profile = tmp_path / "ends.py"
    profile.write_text("import sys\n\nsys.exit('enough')\n")
    done = generate(packetwarp, ["--stl", profile], ["-l", "0", "--vdev=net_null0"])
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert f"--stl: {profile}: line 3: it ends the program: exit('enough')" in done.errors[0], done


UNSET = """
from trex_stl_lib.api import *
class P(object):
    def get_streams(self, direction=0, **kwargs):
        made = {made}
        return STLStream(packet=STLPktBuilder(pkt=made), mode=STLTXCont(pps=5), name=binascii.hexlify(b"a").decode())
def register():
    return P()
"""
# The packets of a profile, as TRex's scapy makes them, written down: MAC addresses, headers, checksums.
MADE = [
    ("Ether()/IPv6()/UDP(sport=1025, dport=12)/(8*'x')",
     "000000010000000000020000" "86dd" "6000000000101140" + "0" * 31 + "2" + "0" * 31 + "1" "0401000c0010" "19dd" + 8 * "78"),
    ("Ether()/IP()/UDP(sport=1025)/DNS()",
     "000000010000000000020000" "0800" "45000028000100004011" "3ac3" "1000000130000001" "040100350014" "ba8e" "000001000000000000000000"),
    ("fragment(Ether()/IP()/UDP(dport=12,sport=1025)/(1000*'x'), fragsize=20)[0]",
     "000000010000000000020000" "0800" "4500002c000120004011" "1abf" "1000000130000001" "0401000c03f0" "68b4" + 16 * "78"),
]


@pytest.mark.parametrize(("made", "wanted"), MADE, ids=("ipv6", "dns", "fragment"))
def test_what_a_profile_leaves_out_is_as_trexs_scapy_has_it(packetwarp: Program, tmp_path, made, wanted):
    profile = tmp_path / "unset.py"
    profile.write_text(UNSET.format(made=made))
    frame = captured(packetwarp, tmp_path, profile, 1)[0]
    data = bytes.fromhex(wanted)
    assert frame[:len(data)].hex() == data.hex() and not any(frame[len(data):]), "padded with zeros"


@pytest.mark.parametrize("line", ("from trex_stl_lib.trex_stl_hltapi import STLHltStream", "from trex.stl.trex_stl_hltapi import *"))
def test_an_hlt_profile_is_refused_in_one_line(packetwarp: Program, tmp_path, line):
    profile = tmp_path / "hlt.py"
    profile.write_text(f"{line}\ndef register():\n    return None\n")
    run = generate(packetwarp, ["--stl", profile, "--count", "1"], ["-l", "0", "--vdev=net_null0"])
    assert run.status == WRONG_USAGE and len(run.errors) == 1 and len(run.stderr.splitlines()) == 1, run
    assert "hlt.py: line 1: trex" in run.errors[0] and "is not supported" in run.errors[0] and "as STLStream" in run.errors[0], run


def test_wrong_checksums_show_when_packets_come_back(packetwarp: Program, tmp_path):
    """The returning packets are a file: of six packets one has a wrong IPv4 checksum, one a wrong UDP checksum."""
    packet = Ether()/IP(src="16.0.0.1", dst="48.0.0.1")/UDP(dport=12, sport=1025)/(40 * "x")
    wrong_header, wrong_transport = packet.copy(), packet.copy()
    wrong_header[IP].chksum = 0x1234
    wrong_transport[UDP].chksum = 0x1234
    wrpcap(str(tmp_path / "back.pcap"), [packet] * 4 + [wrong_header, wrong_transport])
    eal = ["-l", "0", f"--vdev=net_pcap0,rx_pcap={tmp_path / 'back.pcap'}"]
    done = generate(packetwarp, ["--stl", PROFILES / "imix.py", "--count", "6", "-m", "max", "--expect", "same-port",
                                 "--json", "-"], eal)
    report = json.loads(done.stdout)
    assert (done.status, report["flawless"], report["verification"]) == (FAILED, False, "checksums"), done
    assert (report["received"]["packets"], report["corrupted"], report["lost"]) == (6, 2, 0)

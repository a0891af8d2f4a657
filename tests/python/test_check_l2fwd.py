# SPDX-License-Identifier: Apache-2.0
"""The oracle must pass what is right and fail every kind of wrong: an oracle that cannot fail proves nothing."""
from __future__ import annotations

import pathlib
import subprocess
import sys
from collections.abc import Callable

import check_l2fwd
import make_captures
import pytest

FRAMES = [make_captures.udp_frame(64 + n, n) for n in range(20)]


def swap(frame: bytes) -> bytes:
    return frame[6:12] + frame[:6] + frame[12:]


SWAPPED = [swap(frame) for frame in FRAMES]


def with_byte(frames: list[bytes], packet: int, byte: int) -> list[bytes]:
    frame = bytearray(frames[packet])
    frame[byte] ^= 1
    return [*frames[:packet], bytes(frame), *frames[packet + 1:]]


@pytest.fixture(scope="module", autouse=True)
def what_tshark_said():
    """tshark's output for frames that it has read before: it takes a fifth of a second to start."""
    ask = check_l2fwd.read_with_tshark
    known: dict[bytes, list[check_l2fwd.Seen]] = {}

    def remember(path: pathlib.Path) -> list[check_l2fwd.Seen]:
        content = path.read_bytes()
        if content not in known:
            known[content] = ask(path)
        return known[content]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check_l2fwd, "read_with_tshark", remember)
        yield


@pytest.fixture
def compare(tmp_path: pathlib.Path) -> Callable[..., check_l2fwd.Report]:
    def compare(before: list[bytes], after: list[bytes], workload: str = "cpu") -> check_l2fwd.Report:
        source, result = tmp_path / "in.pcap", tmp_path / "out.pcap"
        source.write_bytes(make_captures.pcap(before))
        result.write_bytes(make_captures.pcap(after))
        return check_l2fwd.check(source, result, workload)

    return compare


def test_swapped_packets_pass(compare):
    report = compare(FRAMES, SWAPPED)
    assert report.ok and report.table["UDP"] == [20, 20, 20]
    assert report.verdict.startswith("check_l2fwd: PASS: 20 in, 20 out")


def test_unchanged_packets_pass_for_none(compare):
    assert compare(FRAMES, FRAMES, "none").ok


def test_runts_are_dropped_by_cpu_and_kept_by_none(compare):
    runts = [b"x" * n for n in range(14)]
    report = compare(runts + FRAMES, SWAPPED)
    assert report.ok and report.runts == 14
    assert not compare(runts + FRAMES, FRAMES, "none").ok
    assert compare(runts + FRAMES, runts + FRAMES, "none").ok


def test_a_forwarded_runt_fails(compare):
    assert not compare([b"x" * 13, *FRAMES], [b"x" * 13, *SWAPPED]).ok


WRONG = {
    "an address byte differs": (with_byte(SWAPPED, 3, 2), "packet 4 "),
    "a payload byte differs": (with_byte(SWAPPED, 7, 60), "byte 60 "),
    "the last byte differs": (with_byte(SWAPPED, 19, 82), "byte 82 "),
    "the first packet is missing": (SWAPPED[1:], "packet 1 "),
    "a packet in the middle is missing": (SWAPPED[:9] + SWAPPED[10:], "packet 10 "),
    "the last packet is missing": (SWAPPED[:-1], "missing at the end"),
    "every packet is missing": ([], "20 packets are missing"),
    "a packet is duplicated": (SWAPPED[:5] + SWAPPED[4:], "duplicate"),
    "the last packet is duplicated": (SWAPPED + SWAPPED[-1:], "duplicate"),
    "a strange packet is added": (SWAPPED + [b"z" * 60], "one more came out"),
    "two packets changed places": ([*SWAPPED[:4], SWAPPED[5], SWAPPED[4], *SWAPPED[6:]], "packet 6"),
    "all packets came out in reverse": (SWAPPED[::-1], "packet 1 "),
    "one packet is not swapped": ([*SWAPPED[:8], FRAMES[8], *SWAPPED[9:]], "not swapped"),
    "no packet is swapped": (FRAMES, "not swapped"),
    "a packet is cut short": ([*SWAPPED[:2], SWAPPED[2][:-1], *SWAPPED[3:]], "packet 3 "),
    "a packet is padded": ([*SWAPPED[:2], SWAPPED[2] + b"\0", *SWAPPED[3:]], "packet 3 "),
}


@pytest.mark.parametrize("what", WRONG)
def test_it_fails_when(what, compare):
    after, says = WRONG[what]
    report = compare(FRAMES, after)
    assert not report.ok
    assert says in report.difference
    assert "expected 0" in report.difference or "(no packet)" in report.difference


def test_a_swapped_packet_fails_for_none(compare):
    assert not compare(FRAMES, [*FRAMES[:5], SWAPPED[5], *FRAMES[6:]], "none").ok


def test_both_packets_are_shown_around_the_difference(compare):
    long = [make_captures.udp_frame(9000, n) for n in range(3)]
    report = compare(long, with_byte([swap(frame) for frame in long], 1, 5000))
    expected, got = report.difference.splitlines()[1:]
    assert expected.split(": ", 1)[0].endswith("1370") and got.split(": ", 1)[0].endswith("1370")
    assert expected.split()[2:] != got.split()[2:]


def test_the_second_reader_notices_by_itself():
    one = check_l2fwd.Seen("digest", "02:00:00:00:00:01", "02:00:00:00:00:02", "UDP")
    other = check_l2fwd.Seen("digest", "02:00:00:00:00:02", "02:00:00:00:00:01", "UDP")
    assert not check_l2fwd.addresses_differ([one], [other], "cpu")
    assert check_l2fwd.addresses_differ([one], [one], "cpu")
    assert check_l2fwd.addresses_differ([one], [other], "none")


def test_readers_that_disagree_are_not_believed(compare, monkeypatch):
    seen = check_l2fwd.read_with_tshark
    monkeypatch.setattr(check_l2fwd, "read_with_tshark", lambda path: seen(path)[:-1])
    with pytest.raises(check_l2fwd.Unusable):
        compare(FRAMES, SWAPPED)


def run_script(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, check_l2fwd.__file__, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60, check=False)


def test_exit_status_and_last_line(tmp_path):
    source, right, wrong = (tmp_path / name for name in ("in.pcap", "right.pcap", "wrong.pcap"))
    source.write_bytes(make_captures.pcap(FRAMES))
    right.write_bytes(make_captures.pcap(SWAPPED))
    wrong.write_bytes(make_captures.pcap(with_byte(SWAPPED, 0, 50)))
    passed, failed = run_script("-w", "cpu", source, right), run_script("-w", "cpu", source, wrong)
    assert (passed.returncode, failed.returncode) == (0, 1)
    assert passed.stdout.splitlines()[-1].startswith("check_l2fwd: PASS")
    assert failed.stdout.splitlines()[-1].startswith("check_l2fwd: FAIL") and "packet 1 " in failed.stdout


@pytest.mark.parametrize("content", [b"", b"no capture", None])
def test_files_that_cannot_be_read_are_no_verdict(tmp_path, content):
    source = tmp_path / "in.pcap"
    if content is not None:
        source.write_bytes(content)
    result = run_script(source, source)
    assert result.returncode == 2 and result.stderr.startswith("check_l2fwd: error: ")


FORWARDABLE = [capture for capture in make_captures.CAPTURES if capture.forwardable]


@pytest.mark.parametrize("capture", FORWARDABLE, ids=lambda capture: capture.name)
def test_both_readers_agree_on_the_odd_captures(capture, tmp_path):
    path = tmp_path / capture.name
    path.write_bytes(capture.content())
    frames, _ = check_l2fwd.read(path)
    assert max(map(len, frames), default=0) <= capture.largest
    assert capture.content() == path.read_bytes()  # written again, it is the same

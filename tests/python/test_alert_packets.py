# SPDX-License-Identifier: Apache-2.0
"""alert_packets.py: its output takes the place of a file only when all of EVE is read, and wrong input is one line."""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest
from scapy.utils import rdpcap

TOOL = pathlib.Path(__file__).resolve().parents[2] / "python" / "recording" / "alert_packets.py"
ALERT = {"timestamp": "2026-01-02T03:04:05.000006+0000", "event_type": "alert", "in_iface": "left",
         "alert": {"gid": 1, "signature_id": 7, "rev": 2, "signature": "seven"}, "packet": "AAAAAAACAAAAAAAECAAAAA==",
         "packet_info": {"linktype": 1}}
GOOD = json.dumps(ALERT) + "\n"


@pytest.fixture
def convert(tmp_path):
    def do(*words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, TOOL, *words], cwd=tmp_path, input=text, capture_output=True, text=True, timeout=60)
    return do


def require_line(done: subprocess.CompletedProcess[str], status: int, words: str) -> None:
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1), done
    assert done.stderr.startswith("alert_packets.py: ") and words in done.stderr


def test_packets_of_alerts_take_the_place_of_an_older_file(convert, tmp_path):
    (tmp_path / "out.pcapng").write_text("older")
    (tmp_path / "link.pcapng").symlink_to("out.pcapng")
    done = convert("-", "link.pcapng", text=GOOD + json.dumps({"event_type": "stats"}) + "\n" + GOOD)
    assert (done.returncode, done.stderr) == (0, "2 packets, 0 alerts without one\n")
    assert len(rdpcap(str(tmp_path / "out.pcapng"))) == 2
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.pcapng", "out.pcapng"]
    assert (tmp_path / "link.pcapng").is_symlink()


def test_the_file_that_is_read_is_not_written(convert, tmp_path):
    eve = tmp_path / "eve.json"
    eve.write_text(GOOD)
    (tmp_path / "link").symlink_to("eve.json")
    (tmp_path / "hard").hardlink_to(eve)
    for out in ("eve.json", "link", "hard"):
        require_line(convert("eve.json", out), 2, f"{out}: is the file that is read")
    with eve.open() as opened:
        done = subprocess.run([sys.executable, TOOL, "-", eve], stdin=opened, capture_output=True, text=True, timeout=60)
    require_line(done, 2, "eve.json: is the file that is read")
    assert eve.read_text() == GOOD


WITHOUT_ALERT = {key: value for key, value in ALERT.items() if key != "alert"}
WRONG = {"no JSON": "packets\n", "a list": "[1]\n", "a number": "1\n", "no alert": json.dumps(WITHOUT_ALERT) + "\n",
         "an alert of text": json.dumps(ALERT | {"alert": "seven"}) + "\n", "no rule": json.dumps(ALERT | {"alert": {}}) + "\n",
         "no time": json.dumps(ALERT | {"timestamp": "yesterday"}) + "\n", "no base64": json.dumps(ALERT | {"packet": "A"}) + "\n",
         "a link type out of range": json.dumps(ALERT | {"packet_info": {"linktype": 70000}}) + "\n",
         "an interface that is a list": json.dumps(ALERT | {"in_iface": [1]}) + "\n"}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("sids", ([], ["--sid", "7"]))
def test_wrong_text_is_one_line_and_replaces_nothing(convert, tmp_path, name, sids):
    (tmp_path / "out.pcapng").write_text("older")
    require_line(convert("-", "out.pcapng", *sids, text=GOOD + WRONG[name]), 2, "-: line 2 is no event of EVE")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("out.pcapng", "older")]


def test_bytes_that_are_no_text_are_one_line(convert, tmp_path):
    (tmp_path / "eve.json").write_bytes(b"\xff\xfe\xfa\n")
    require_line(convert("eve.json", "out.pcapng"), 2, "eve.json: line 1 is no event of EVE")


def test_files_that_cannot_be_opened_are_one_line(convert, tmp_path):
    require_line(convert("none.json", "out.pcapng"), 2, "none.json: cannot be read: No such file")
    require_line(convert(".", "out.pcapng"), 2, ".: cannot be read: Is a directory")
    require_line(convert("-", "none/out.pcapng", text=GOOD), 1, "none/out.pcapng: cannot be written: No such file")
    require_line(convert("-", ".", text=GOOD), 1, ".: cannot be written: Is a directory")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line_and_a_device_stays_one(convert):
    require_line(convert("-", "/dev/full", text=GOOD), 1, "/dev/full: cannot be written: No space left")
    assert pathlib.Path("/dev/full").is_char_device()
    assert convert("-", "/dev/null", text=GOOD).returncode == 0
    assert pathlib.Path("/dev/null").is_char_device()


def test_alerts_without_packets_are_counted(convert):
    done = convert("-", "out.pcapng", text=json.dumps({key: ALERT[key] for key in ("event_type", "alert")}) + "\n")
    assert (done.returncode, done.stderr) == (1, "0 packets, 1 alerts without one\n")

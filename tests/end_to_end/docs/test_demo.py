# SPDX-License-Identifier: Apache-2.0
"""`make demo` shows what works, and fails where something does not: a demonstration that cannot fail shows nothing."""
from __future__ import annotations

import pathlib
import subprocess

from harness import ROOT

# Comes before the binary and changes the last byte of its output.
TAMPERED = """#!/bin/sh
for word in "$@"; do case $word in *tx_pcap=*) output=${{word##*tx_pcap=}} ;; esac; done
"{binary}" "$@" || exit
if [ -n "${{output:-}}" ]; then truncate -s -1 "$output"; printf X >> "$output"; fi
"""


def demo(binary: pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "ci" / "demo.sh", binary], capture_output=True, text=True, timeout=300, check=False)


def test_it_passes_with_the_binary_that_was_built(binary):
    shown = demo(binary)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "check_l2fwd: PASS: 1354 in, 1354 out" in shown.stdout
    assert "verified  every-byte, expected mac-swapped: flawless" in shown.stdout
    assert "judge_labels: PASS: 724 of 962 packets of attacks found, 1 of 520 normal packets called anomalous" in shown.stdout
    assert "judge_answers: PASS: " in shown.stdout and " 0 not answered" in shown.stdout


def test_it_fails_where_one_byte_is_wrong(binary, tmp_path):
    tampered = tmp_path / "packetwarp"
    tampered.write_text(TAMPERED.format(binary=binary))
    tampered.chmod(0o755)
    shown = demo(tampered)
    assert shown.returncode == 1, shown.stdout + shown.stderr
    assert "check_l2fwd: FAIL" in shown.stdout and "== 2." not in shown.stdout


def test_it_fails_where_there_is_no_binary(tmp_path):
    assert demo(tmp_path / "nothing").returncode != 0

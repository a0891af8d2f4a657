# SPDX-License-Identifier: Apache-2.0
"""read_stl_profile.py: standard output has the result alone, and its status says whether a profile can be sent."""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROFILES = ROOT / "tests" / "profiles"
STREAM = """
from trex_stl_lib.api import *
class P(object):
    def get_streams(self, direction=0, **kwargs):
        {body}
def register():
    return P()
"""


def test_the_script_says_it_on_standard_error_with_status_2(tmp_path):
    def run(*arguments):
        return subprocess.run([sys.executable, str(ROOT / "python" / "read_stl_profile.py"), *arguments],
                              capture_output=True, text=True, timeout=60, check=False)
    good = run(str(PROFILES / "imix.py"))
    assert (good.returncode, good.stderr) == (0, "")
    assert len(json.loads(good.stdout)["streams"]) == 3
    bad = run("/no/such.py")
    assert (bad.returncode, bad.stdout, bad.stderr) == (2, "", "/no/such.py: no such file\n")
    (tmp_path / "prints.py").write_text(STREAM.format(body="print('hello'); return STLStream()"))
    assert json.loads(run(str(tmp_path / "prints.py")).stdout)["profile"] == "prints.py"


SHELL = """
import os
os.system("echo building")
os.write(1, b"half a line")
print("and more")
"""


def read_by_script(profile: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(ROOT / "python" / "read_stl_profile.py"), str(profile), *arguments],
                          capture_output=True, text=True, timeout=60, check=False)


def test_what_a_profile_and_its_child_processes_print_stays_out_of_the_result(tmp_path):
    profile = tmp_path / "shell.py"
    profile.write_text(SHELL + STREAM.format(body="return STLStream()"))
    done = read_by_script(profile)
    assert (done.returncode, json.loads(done.stdout)["profile"]) == (0, "shell.py"), done
    assert "building\n" in done.stderr and "half a line" in done.stderr and "and more\n" in done.stderr, done


@pytest.mark.parametrize(("tunables", "body", "status", "out", "error"), [
    ("--help", "", 3, "usage: helps.py", ""),
    ("-h", "", 3, "--fsize FSIZE", ""),
    ("--fsize x", "", 2, "", "-t '--fsize x': argument --fsize: invalid int value: 'x'"),
    ("--fsize 64", "print('usage: none'); sys.exit(0)", 2, "", "it ends the program: exit(0)"),
])
def test_a_profile_s_own_help_is_printed(tmp_path, tunables, body, status, out, error):
    profile = tmp_path / "helps.py"
    text = (PROFILES / "tunable.py").read_text()
    assert "parse_args" in text
    profile.write_text(f"import sys\n{text}\n{body}\n")
    done = read_by_script(profile, f"--tunables={tunables}")
    assert done.returncode == status and out in done.stdout and error in done.stderr, done
    assert bool(done.stdout) == bool(out), done

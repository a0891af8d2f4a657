# SPDX-License-Identifier: Apache-2.0
"""SSH to the router's own address: a login by key on the machine behind a kernel interface, and a file over it."""
from __future__ import annotations

import os
import pathlib
import random
import shlex
import shutil
import subprocess

import pytest
from harness import ROOT
from namespaces import stop, wait_for
from test_run_kernel import OWN, OWN6, kernel_of, network

# As Debian's package has it, unpacked and not installed. In build/dropbear:
# apt-get download dropbear-bin libtomcrypt1 libtommath1; for file in *.deb; do dpkg -x $file .; done
UNPACKED = ROOT / "build" / "dropbear"


def dropbear(name: str) -> list[str]:
    """The command that runs one of its programs."""
    if found := shutil.which(name):
        return [found]
    for folder in ("usr/sbin", "usr/bin"):
        if (found := UNPACKED / folder / name).is_file():
            return ["env", f"LD_LIBRARY_PATH={UNPACKED / 'usr/lib/x86_64-linux-gnu'}", str(found)]
    pytest.skip("no dropbear: install dropbear-bin, or unpack it below build/dropbear")


def make_key(path: pathlib.Path) -> str:
    """A private key in the file; says the public one."""
    said = subprocess.run([*dropbear("dropbearkey"), "-t", "ed25519", "-f", str(path)], capture_output=True, text=True, check=True).stdout
    return next(line for line in said.splitlines() if line.startswith("ssh-"))


def server(folder: pathlib.Path, allowed: str) -> str:
    """A shell command: sshd of a home of its own, which is there in `ip netns exec`'s mount namespace only."""
    home = shlex.quote(os.path.expanduser("~root"))
    sshd = shlex.join([*dropbear("dropbear"), "-F", "-E", "-s", "-r", str(folder / "host"), "-P", str(folder / "pid"), "-p", "22"])
    return (f"mount -t tmpfs -o mode=700 none {home} && mkdir -m 700 {home}/.ssh && echo {shlex.quote(allowed)} > {home}/.ssh/authorized_keys"
            f" && chmod 600 {home}/.ssh/authorized_keys && exec {sshd}")


def listens(namespace) -> bool:
    """On port 22."""
    lines = namespace.run("sh", "-c", "cat /proc/net/tcp /proc/net/tcp6").stdout.splitlines()
    return any(words[1].endswith(":0016") and words[3] == "0A" for words in map(str.split, lines) if len(words) > 3)


@pytest.mark.parametrize("to", (OWN, OWN6))
def test_a_login_by_key_and_a_file_over_it(packetwarp, namespaces, tmp_path, to):
    make_key(tmp_path / "host")
    allowed = make_key(tmp_path / "user")
    content = random.Random(22).randbytes(700_000)  # SSH would compress it, were it not
    (tmp_path / "content").write_bytes(content)
    with network(packetwarp, namespaces) as made:
        with (tmp_path / "log").open("w") as log:
            sshd = made.middle.popen("sh", "-c", server(tmp_path, allowed), stdout=log, stderr=log)
        try:
            wait_for(lambda: listens(made.middle), "sshd")
            login = [*dropbear("dbclient"), "-y", "-y", "-i", str(tmp_path / "user"), f"root@{to}"]
            said = made.left.run(*login, "echo here; cat > /dev/null; ip -o link show left.kni",
                                 stdin=subprocess.DEVNULL, check=False)
            assert said.returncode == 0 and said.stdout.startswith("here\n") and "left.kni" in said.stdout, (
                said, (tmp_path / "log").read_text())
            fetched = subprocess.run(made.left.command(*login, f"cat {tmp_path / 'content'}"), capture_output=True, check=True, timeout=60)
            assert fetched.stdout == content
        finally:
            stop(sshd)
        kernel = kernel_of(made.end().result)
    assert kernel["out"]["sent"] > len(content) // 1500 and kernel["in"]["dropped"] == {}

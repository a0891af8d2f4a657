# SPDX-License-Identifier: Apache-2.0
"""Values of the file of packetwarp run that no key may have: without an end, too long, not to be seen, of another machine."""
from __future__ import annotations

import pytest
from harness import FAILED
from test_run_config import PORTS, RIGHT, assert_refused, run_with, write

ROUTES = "routes:\n  - {to: 203.0.113.0/24, via: 198.51.100.2}"
# The replaced text, the new text, the line of the error, its other words.
CHANGES = [
    ("name: left", f"name: {65 * 'l'}", 2, ["interfaces[0].name", "has 65 bytes", "at most 64"]),
    ("name: left", 'name: "le\\u202eft"', 2, ["interfaces[0].name", "not seen"]),
    ("name: left", 'name: "le\\u200bft"', 2, ["interfaces[0].name", "not seen"]),
    ("port: net_null1", 'port: "net_null1\\0"', 7, ["interfaces[1].port", "NUL character"]),
    *(("routes:", f"{key}: /nowhere/file\nroutes:", 10, [f"{key}: '/nowhere/file' cannot be written: No such file or directory", "folder that can"])
      for key in ("event_log", "control")),
    ("routes:", "nat44: {inside: left, outside: right, pool: [198.51.100.9], log: /nowhere/log}\nroutes:", 10,
     ["nat44.log: '/nowhere/log' cannot be written", "folder that can"]),
    ("routes:", 'event_log: "/tmp/a\\0b"\nroutes:', 10, ["event_log: holds a NUL character", "leave it out"]),
    ("routes:", 'eal: ["--file-prefix=a\\0b"]\nroutes:', 10, ["eal", "NUL character"]),
    (ROUTES, "rules: {file: /dev/zero}", 10, ["rules.file", "/dev/zero: is larger than 256 MiB", "smaller file"]),
    (ROUTES, "inspect: {rules: [/proc/self/mem]}", 10, ["inspect.rules", "/proc/self/mem: cannot be read: Input/output error"]),
    ("routes:", f"control: /tmp/{103 * 'c'}\nroutes:", 10, ["control: ", "has 108 bytes", "at most 107"]),
    ("routes:", "control: /etc/passwd\nroutes:", 10, ["control: '/etc/passwd' is a file that is no socket", "another path"]),
    ("routes:", "data_plane: {gpu_timeout: 1s}\nroutes:", 10, ["data_plane.gpu_timeout", "executor cpu has no use for it", "'executor'"]),
    ("routes:", "data_plane: {executor: kernel, gpu_timeout: 0}\nroutes:", 10, ["data_plane.gpu_timeout", "1ms to 1h"]),
    ("routes:", "data_plane: {executor: kernel, gpu_timeout: 2h}\nroutes:", 10, ["data_plane.gpu_timeout", "'2h'"]),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), CHANGES, ids=[" ".join(words)[:60] for *_, words in CHANGES])
def test_a_value_is_refused_by_its_line(packetwarp, old, new, line, words):
    done = run_with(packetwarp, RIGHT.replace(old, new, 1))
    assert_refused(done, f"{packetwarp.folder / 'network.yaml'}:{line}: ", *words)


@pytest.mark.parametrize("command", ("run", "plan"))
@pytest.mark.parametrize("address", ("203.0.113.77:9464", "192.0.2.1:0"))
def test_an_address_that_is_not_there_is_a_failure_by_its_line(packetwarp, command, address):
    """It may come later: the status by which systemd tries again."""
    path = write(packetwarp.folder, RIGHT.replace("routes:", f'metrics: "{address}"\nroutes:', 1))
    done = packetwarp.run(command, PORTS, ["-c", str(path)])
    assert_refused(done, f"{path}:10: metrics: {address}: this machine has no such address", "one that it has", status=FAILED)


@pytest.mark.parametrize("command", ("run", "plan"))
def test_an_interface_that_is_not_there_is_a_failure_by_its_line(packetwarp, command):
    """It may come later: the status by which systemd tries again."""
    path = write(packetwarp.folder, f"eal:\n  - -l\n  - '0'\n  - --vdev=net_null0\n  - --vdev=net_af_packet0,iface=nowhere0\n{RIGHT}")
    done = packetwarp.run(command, ["-c", path])
    assert_refused(done, f"{path}:5: eal[3]: ", "iface=nowhere0", "ip -br link", status=FAILED)
    assert len(done.stderr.splitlines()) == 1, done


def test_a_long_value_is_told_by_its_beginning(packetwarp):
    done = run_with(packetwarp, RIGHT.replace("02:00:00:00:00:01", 5_000_000 * "A"))
    assert_refused(done, f"{packetwarp.folder / 'network.yaml'}:4: interfaces[0].mac: 'AAA", "bytes are left out", "is no MAC address, such as")
    assert len(done.errors[0]) < 3000


def test_a_file_without_an_end(packetwarp):
    assert_refused(packetwarp.run("run", PORTS, ["-c", "/dev/zero"]), "/dev/zero: is larger than 256 MiB", "smaller file")

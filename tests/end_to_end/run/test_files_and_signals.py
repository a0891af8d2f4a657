# SPDX-License-Identifier: Apache-2.0
"""Files that a run is given: one that would destroy another, one without an end, one that is empty. And signals, which end each wait."""
from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess

import pytest
from harness import ALONE, DONE, FAILED, MIXED, ROOT, WRONG_USAGE, Program
from namespaces import wait_for

PORTS = ["--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"]
BASE = """interfaces:
  - {name: left, port: net_null0, addresses: [192.0.2.1/24]}
  - {name: right, port: net_null1, addresses: [198.51.100.1/24]}
data_plane: {poll_sleep: 1ms}
"""
NAT = "nat44: {inside: left, outside: right, pool: [198.51.100.9], state: %s, log: %s}\n"


def asked_to_run(packetwarp: Program, *options: str) -> list[str]:
    return [str(packetwarp.binary), "run", *ALONE, "-l", "0", *PORTS, "--", "-c", "n.yaml", *options]


def run_within(packetwarp: Program, folder, *options: str):
    return subprocess.run(asked_to_run(packetwarp, *options), cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def errors(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stderr.splitlines() if "error:" in line]


@pytest.mark.parametrize(("more", "options", "said"), [
    ("", ["--json", "n.yaml"], "n.yaml: the file would be read and written"),
    ("", ["--event-log", "./n.yaml"], "n.yaml: the file would be read and written"),
    ("event_log: n.yaml\n", [], "n.yaml:5: event_log: n.yaml: the file would be read and written"),
    (NAT % ("n.yaml", "other"), [], "n.yaml: the file would be read and written"),
    (NAT % ("same", "same"), [], "nat44.state: same: the file would be written for two purposes"),
    (NAT % ("sessions", "sessions.new"), [], "nat44.log: sessions.new: the file would be written for two purposes"),
    ("rules: {file: flows.new}\n" + NAT % ("flows", "other"), [], "flows.new: the file would be read and written"),
    ("event_log: same\n", ["--json", "same"], "error: same: the file would be written for two purposes"),
    ("", ["--json", "same", "--event-log", "same"], "same: the file would be written for two purposes"),
    ("rules: {file: flows}\n", ["--json", "flows"], "flows: the file would be read and written"),
    ("inspect: {rules: [other.rules, local.rules], events: ./local.rules}\n", [], "n.yaml:5: inspect.events: local.rules: the file would be read and written"),
    ("", ["--replay", "0=mixed.pcap", "--json", "mixed.pcap"], "mixed.pcap: the file would be read and written"),
    ("", ["--json", ""], "--json: the value is empty"),
    ("event_log: \"\"\n", [], "n.yaml:5: event_log: is empty"),
    ("rules:\n", [], "n.yaml:5: the key 'rules' has no value"),
    ("inspect:\n", [], "n.yaml:5: the key 'inspect' has no value"),
    ("---\nrules: {file: flows}\n", [], "n.yaml:6: a second document of YAML begins, or text"),
])
def test_a_file_that_would_be_lost_or_ignored_is_refused(packetwarp: Program, tmp_path, more, options, said):
    (tmp_path / "n.yaml").write_text(BASE + more)
    (tmp_path / "flows").write_text("flow create 0 ingress pattern udp / end actions drop / end\n")
    shutil.copy(tmp_path / "flows", tmp_path / "flows.new")
    (tmp_path / "other.rules").write_text('alert tcp any any -> any any (msg:"b"; sid:2;)\n')
    (tmp_path / "local.rules").write_text('alert udp any any -> any any (msg:"a"; sid:1;)\n')
    shutil.copy(MIXED, tmp_path / "mixed.pcap")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = run_within(packetwarp, tmp_path, "--duration", "50ms", *options)
    assert (done.returncode, done.stdout, len(errors(done))) == (WRONG_USAGE, "", 1), done
    assert said in errors(done)[0], done
    if not options:
        words = [str(packetwarp.binary), "plan", *ALONE, "-l", "0", *PORTS, "--", "-c", "n.yaml"]
        planned = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert (planned.returncode, planned.stdout, errors(planned)) == (WRONG_USAGE, "", errors(done)), planned
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(("device", "more", "options", "said"), [
    ("tx_pcap=same", "", ["--json", "./same"], "same: the file would be written for two purposes"),
    ("rx_pcap=mixed.pcap", "", ["--json", "mixed.pcap"], "mixed.pcap: the file would be read and written"),
    ("tx_pcap=same", "event_log: ./same\n", [], "n.yaml:5: event_log: same: the file would be written for two purposes"),
    ("tx_pcap=n.yaml", "", [], "n.yaml: the file would be read and written"),
])
def test_a_capture_of_a_port_is_no_other_file_of_the_run(packetwarp: Program, tmp_path, device, more, options, said):
    (tmp_path / "n.yaml").write_text(BASE + more)
    shutil.copy(MIXED, tmp_path / "mixed.pcap")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    argv = asked_to_run(packetwarp, "--duration", "50ms", *options)
    argv.insert(argv.index("--"), f"--vdev=net_pcap0,{device}")
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, len(errors(done))) == (WRONG_USAGE, "", 1), done
    assert said in errors(done)[0], done
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before, "nothing is written"


@pytest.mark.parametrize(("words", "target"), [
    (["features", "--pcap", "c.pcap", "--out", "c.pcap"], "c.pcap"),
    (["inspect", "run", "--rules", "l.rules", "--pcap", "c.pcap", "--out", "c.pcap"], "c.pcap"),
    (["inspect", "run", "--rules", "l.rules", "--pcap", "c.pcap", "--out", "l.rules"], "l.rules"),
    (["inspect", "check", "l.rules", "--json", "l.rules"], "l.rules"),
    (["generate", "--in-memory", "--no-pci", "-l", "0", "--", "--through", "-w cpu", "--replay", "c.pcap", "--json", "c.pcap"], "c.pcap"),
    (["l2fwd", "--in-memory", "--no-pci", "-l", "0", "--vdev=net_null0", "--", "--replay", "0=c.pcap", "--json", "c.pcap"], "c.pcap"),
])
def test_no_command_overwrites_what_it_reads(packetwarp: Program, tmp_path, words, target):
    shutil.copy(MIXED, tmp_path / "c.pcap")
    (tmp_path / "l.rules").write_text('alert udp any any -> any any (msg:"a"; sid:1;)\n')
    before = (tmp_path / target).read_bytes()
    done = subprocess.run([packetwarp.binary, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == WRONG_USAGE and f"{target}: the file would be read and written" in done.stderr, done
    assert (tmp_path / target).read_bytes() == before


def ends_by(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    return process.returncode, said


def catches(process: subprocess.Popen[str], number: signal.Signals) -> bool:
    """Whether it has a handler of the signal (proc(5), SigCgt)."""
    caught = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").partition("SigCgt:")[2].split()[0]
    return int(caught, 16) >> (number - 1) & 1 == 1


def waits_in_open(process: subprocess.Popen[str]) -> bool:
    """Whether its main thread is in the kernel, opening a pipe (fifo(7))."""
    return "wait_for_partner" in pathlib.Path(f"/proc/{process.pid}/stack").read_text(encoding="ascii")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may read a process's kernel stack")
@pytest.mark.parametrize("words", [
    ["run", *ALONE, "-l", "0", *PORTS, "--", "-c", "ff"],
    ["run", *ALONE, "-l", "0", *PORTS, "--", "-c", "n.yaml", "--json", "ff"],
    ["features", "--pcap", "ff"],
    ["inspect", "check", "ff"],
    ["model", "check", "ff"],
    ["capture", "-w", "ff", "--control", "/nonexistent"],
    ["bench", "--", "--advise", "--from", "ff", "--rate", "5mpps"],
    ["bench", "--", "--resume", "ff"],
    ["model", "run", str(ROOT / "models/detect.onnx"), "--rows", "ff"],
])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_first_signal_ends_the_wait_for_the_other_end_of_a_pipe(packetwarp: Program, tmp_path, words, number):
    os.mkfifo(tmp_path / "ff")
    (tmp_path / "n.yaml").write_text(BASE)
    with subprocess.Popen([packetwarp.binary, *words], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        wait_for(lambda: waits_in_open(process), "the program to open the pipe")
        status, said = ends_by(process, number)
    assert status in (WRONG_USAGE, FAILED) and "ff" in said, (status, said)


def ask_for_a_reload(process: subprocess.Popen[str], config: pathlib.Path) -> None:
    config.write_text(BASE + "routes: [{to: 203.0.113.0/24, discard: true}]\n")
    process.send_signal(signal.SIGHUP)


def replace(_: subprocess.Popen[str], config: pathlib.Path) -> None:
    new = config.with_suffix(".new")
    new.write_text(BASE + "routes: [{to: 203.0.113.0/24, discard: true}]\n")
    new.rename(config)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may read a process's kernel stack")
@pytest.mark.parametrize(("options", "change", "by"), [([], ask_for_a_reload, "SIGHUP"), (["--watch"], replace, "--watch")])
def test_a_reload_that_is_asked_for_during_the_start_follows_it(packetwarp: Program, tmp_path, options, change, by):
    """The file has been read, and the start waits for the reader of its result."""
    config, result, log = tmp_path / "n.yaml", tmp_path / "ff", tmp_path / "log"
    config.write_text(BASE)
    os.mkfifo(result)
    command = asked_to_run(packetwarp, "--control", "none", "--json", "ff", *options)
    said = f"{by}: n.yaml is in force: 1 routes and 0 neighbours changed"
    with log.open("w") as stderr, subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=stderr) as process:
        try:
            wait_for(lambda: waits_in_open(process), "the program to open the pipe")
            change(process, config)
            reader = os.open(result, os.O_RDONLY | os.O_NONBLOCK)
            wait_for(lambda: process.poll() is not None or said in log.read_text(), said, seconds=60)
            process.terminate()
            status = process.wait(60)
            os.close(reader)
        finally:
            process.kill()
    assert status == DONE and said in log.read_text(), (status, log.read_text())


def test_a_reload_refuses_a_pipe_and_the_run_ends_as_ever(packetwarp: Program, tmp_path):
    (tmp_path / "n.yaml").write_text(BASE)
    socket = str(tmp_path / "control")
    with subprocess.Popen(asked_to_run(packetwarp, "--control", socket), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for(lambda: os.path.exists(socket), "the control socket")
        (tmp_path / "n.yaml").unlink()
        os.mkfifo(tmp_path / "n.yaml")
        reload = [packetwarp.binary, "reload", "--control", socket]
        refused = subprocess.run(reload, capture_output=True, text=True, timeout=60, check=False)
        assert refused.returncode == WRONG_USAGE and "n.yaml: is a pipe" in refused.stderr, refused
        (tmp_path / "n.yaml").unlink()
        (tmp_path / "n.yaml").write_text(BASE)
        taken = subprocess.run(reload, capture_output=True, text=True, timeout=60, check=False)
        assert taken.returncode == DONE, taken
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=30)
    assert process.returncode == DONE and "ended by signal" in said


@pytest.mark.parametrize("words", [["reload"], ["show", "interfaces"], ["workers"], ["drain"]])
def test_a_signal_ends_a_client_of_a_run_that_does_not_answer(packetwarp: Program, tmp_path, words):
    (tmp_path / "n.yaml").write_text(BASE)
    socket = str(tmp_path / "control")
    with subprocess.Popen(asked_to_run(packetwarp, "--control", socket), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        wait_for(lambda: os.path.exists(socket), "the control socket")
        run.send_signal(signal.SIGSTOP)
        try:
            with subprocess.Popen([packetwarp.binary, *words, "--control", socket], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as client:
                wait_for(lambda: catches(client, signal.SIGTERM), "its signal handlers")
                status, said = ends_by(client, signal.SIGTERM)
            assert status == FAILED and len(said.splitlines()) == 1 and "a signal ended the wait" in said, (status, said)
        finally:
            run.send_signal(signal.SIGCONT)
            run.terminate()
            run.wait(30)

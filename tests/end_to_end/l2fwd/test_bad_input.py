# SPDX-License-Identifier: Apache-2.0
"""Impossible tasks are refused before they begin: one line that says what was wrong, an exit status, nothing else."""
from __future__ import annotations

import pathlib
import subprocess

import pytest
from harness import ALONE, DONE, FAILED, WRONG_USAGE, Program, Run

NULL_PORT = "--vdev=net_null0"


def assert_refused(run: Run, status: int, *words: str) -> None:
    """An error line of packetwarp's own, the last of all, with each of the words."""
    assert run.status == status, run
    assert run.stdout == "", run
    assert len(run.errors) == 1 and run.stderr.splitlines()[-1] == run.errors[0], run
    for word in words:
        assert word in run.errors[0], run


def assert_refused_at_once(run: Run, status: int, *words: str) -> None:
    """The same, before the EAL could say anything."""
    assert_refused(run, status, *words)
    assert len(run.stderr.splitlines()) == 1, run


@pytest.mark.parametrize(("words", "said"), [
    ([], "no command given"),
    (["fly"], "fly: no such command"),
    (["--fly"], "--fly: no such command"),
])
def test_no_such_command(packetwarp: Program, words, said):
    argv = [str(packetwarp.binary), *words]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert_refused_at_once(Run(argv, done.returncode, done.stdout, done.stderr), WRONG_USAGE, said, "--help")


# After "--": the options, and what the line has to name: the option, what was given, what is allowed.
OPTIONS = [
    ("--fly", ["--fly", "--help"]),
    ("-q", ["-q"]),
    ("leftover", ["leftover"]),
    ("-b 0", ["-b", "0", "1 to 8192"]),
    ("-b 8193", ["8193", "1 to 8192"]),
    ("-b many", ["'many'", "number"]),
    ("-b 1.5", ["'1.5'"]),
    ("-b -1", ["-1"]),
    ("-b 8 -b 9", ["--burst"]),
    ("-b", ["--burst"]),
    ("-d 127", ["-d", "127", "128 to 65407"]),
    ("-d 1g", ["1g", "65407"]),
    ("-m nowhere", ["-m", "'nowhere'", "host"]),
    ("-p 0", ["-p", "1 to 1024"]),
    ("-p 99999999999999999999999", ["-p"]),
    ("-t 5parsecs", ["-t", "5parsecs"]),
    ("-t 11ms", ["-t", "11ms", "10ms"]),
    ("-t 10h", ["-t", "10h", "10ms"]),
    ("-w none -t 10us", ["-t", "-w cpu"]),
    ("-v -5", ["-5"]),
    ("-w fly", ["-w", "'fly'", "none, cpu"]),
    ("-w 7", ["'7'"]),
    ("-m device", ["-m device", "-w kernel, persistent or graph"]),
    ("-g 0", ["-g", "-w cpu", "-w kernel, persistent or graph"]),
    ("-w kernel -g x", ["-g", "'x'", "0,1"]),
    ("-w kernel -g 0,0", ["-g", "GPU 0", "twice"]),
    ("-n", ["-n", "-w cpu", "-w kernel, persistent or graph"]),
    ("-w kernel --gpu-blocks 2", ["--gpu-blocks", "-w kernel", "-w persistent"]),
    ("-w persistent --launch-per-burst", ["--launch-per-burst", "-w persistent", "-w kernel"]),
    ("-w kernel --gpu-timeout 5", ["--gpu-timeout", "'5'"]),
    ("--ring-slots 3", ["--ring-slots", "3", "power of two"]),
    ("-s", ["-s", "-w kernel, persistent or graph"]),
    ("--workers many", ["--workers", "'many'", "run-to-completion, pair, pair-cpu, isolated-rx"]),
    ("--isolated-ring 1k", ["--isolated-ring", "--workers isolated-rx"]),
    ("--workers isolated-rx --isolated-ring 1", ["--isolated-ring", "64 to"]),
    ("--burst-timeout 20", ["--burst-timeout", "20"]),
    ("--poll-sleep 11ms", ["--poll-sleep", "11ms", "at most 10ms"]),
    ("--duration -1s", ["--duration", "-1s"]),
    ("--until-idle soon", ["--until-idle", "'soon'"]),
    ("--rxd 0", ["--rxd"]),
    ("--txd 100k", ["--txd", "100k", "32768"]),
    ("--mtu 67", ["--mtu", "68 to 65535"]),
    ("--mbcache 513", ["--mbcache", "0 to 512"]),
    ("--total-num-mbufs many", ["--total-num-mbufs", "'many'"]),
    ("--portmap 0,1", ["--portmap", "column 1", '"(0,1)(2,3)"']),
    ("--portmap (0,1", ["--portmap", "column 5"]),
    ("--portmap (0,1)(", ["--portmap", "column 7"]),
    ("--portmap (0,99999)", ["--portmap", "column 4"]),
]


@pytest.mark.parametrize(("options", "said"), OPTIONS, ids=[options for options, _ in OPTIONS])
def test_options_are_refused_before_anything_starts(packetwarp: Program, tmp_path, options, said):
    result = tmp_path / "result.json"
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", NULL_PORT], ["--json", str(result), *options.split()])
    assert_refused_at_once(run, WRONG_USAGE, *said)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ("-w", "-m", "--workers", "--portmap"))
def test_control_characters_are_shown_not_sent_to_the_terminal(packetwarp: Program, option):
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", NULL_PORT], [option, "a\x1b[31mb\nc"])
    assert_refused_at_once(run, WRONG_USAGE, option, r"'a\x1b[31mb\x0ac'")
    assert "\x1b" not in run.stderr


PORTS = [
    ([], "", WRONG_USAGE, ["no port", "--vdev"]),
    ([NULL_PORT], "--portmap (0,7)", WRONG_USAGE, ["--portmap", "port 7 does not exist"]),
    ([NULL_PORT, "--vdev=net_null1"], "--portmap (0,0)", WRONG_USAGE, ["--portmap", "port 1", "in no pair"]),
    ([NULL_PORT, "--vdev=net_null1"], "--portmap (0,1)(1,0)", WRONG_USAGE, ["--portmap", "more than one pair"]),
    (["--vdev=net_pcap0,rx_pcap"], "", WRONG_USAGE, ["--vdev=net_pcap0"]),
]


@pytest.mark.parametrize(("eal", "options", "status", "said"), PORTS, ids=[" ".join([*eal, "--", options]) for eal, options, _, _ in PORTS])
def test_ports_that_cannot_be(packetwarp: Program, tmp_path, eal, options, status, said):
    result = tmp_path / "result.json"
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", *eal], ["--json", str(result), *options.split()])
    assert_refused(run, status, *said)
    assert not list(tmp_path.iterdir())


# In front of "--": the EAL would say these in several lines of its own, or in none.
BEFORE_THE_EAL = [
    (["-l", "0,9999", NULL_PORT], ["-l", "'0,9999'"]),
    (["-l", "0,127", NULL_PORT], ["-l", "CPU 127", "it may use"]),
    (["-c", "0x80000000000000000000000000000001", NULL_PORT], ["-c", "CPU 127"]),
    (["-c", "net.yaml", NULL_PORT], ["-c", "'net.yaml'", "coremask"]),
    (["--lcores", "0@127", NULL_PORT], ["--lcores", "CPU 127"]),
    (["--lcores", "x", NULL_PORT], ["--lcores", "'x'", "(0-3)@0"]),
    (["-l", "0", "--vdev=net_fly0"], ["--vdev=net_fly0", "no driver", "net_af_packet"]),
    (["-l", "0", "--vdev=net_af_packet0"], ["--vdev=net_af_packet0", "iface=eth1"]),
    (["-l", "0", "--vdev=net_null0,bad=1"], ["--vdev=net_null0,bad=1", "no argument 'bad'", "size, copy, no-rx"]),
    (["-l", "0", "--vdev=net_null0,size=abc"], ["--vdev=net_null0,size=abc", "'abc' is no number of 1 to 65535"]),
    (["-l", "0", "--vdev=net_pcap0,rx_pcp=a.pcap"], ["net_pcap has no argument 'rx_pcp'", "rx_pcap, tx_pcap"]),
    (["-l", "0", "--vdev"], ["--vdev: needs a value"]),
    (["-l", "0", NULL_PORT, "--in-memory=3"], ["--in-memory=3", "takes no value"]),
    (["-l", "0", NULL_PORT, "--proc-type=secondary"], ["--proc-type: 'secondary'", "give primary"]),
    (["-l", "0", NULL_PORT, "--proc-type", "auto"], ["--proc-type: 'auto'", "give primary"]),
    (["-l", "99", NULL_PORT], ["-l", "CPU 99", "it may use"]),
    (["-l", "0", "--fly"], ["--fly", "neither the EAL nor packetwarp"]),
    (["-l", "0", "net_null0"], ["'net_null0'", "no option"]),
    (["-l", "0", NULL_PORT, "-w", "cpu"], ["-w is packetwarp's: put it after `--`", "-- -w cpu"]),
    (["-l", "0", NULL_PORT, "-b", "64"], ["-b is packetwarp's: put it after `--`"]),
    (["-l", "0", NULL_PORT, "-n"], ["-n is packetwarp's: put it after `--`"]),
    (["-l", "0", NULL_PORT, "-v", "100"], ["-v is packetwarp's: put it after `--`"]),
    (["-l", "0", NULL_PORT, "--until-idle=100ms"], ["--until-idle is packetwarp's: put it after `--`"]),
]


@pytest.mark.parametrize(("eal", "said"), BEFORE_THE_EAL, ids=[" ".join(eal) for eal, _ in BEFORE_THE_EAL])
def test_what_the_eal_would_refuse_is_refused_before_it_starts(packetwarp: Program, eal, said):
    assert_refused_at_once(packetwarp.run("l2fwd", [*ALONE, *eal], []), WRONG_USAGE, *said)


# It may come later: the status by which systemd tries again.
NOT_HERE_YET = [
    (["-l", "0", "--vdev=net_af_packet0,iface=nowhere0"], ["iface=nowhere0", "ip -br link"]),
    (["-l", "0", NULL_PORT, "--vdev=net_af_packet1,iface=nowhere0"], ["iface=nowhere0", "ip -br link"]),
    (["-l", "0", "--vdev=net_pcap0,rx_iface=nowhere0"], ["rx_iface=nowhere0"]),
]


@pytest.mark.parametrize(("eal", "said"), NOT_HERE_YET, ids=[" ".join(eal) for eal, _ in NOT_HERE_YET])
def test_an_interface_that_is_not_there_is_a_failure(packetwarp: Program, eal, said):
    assert_refused_at_once(packetwarp.run("l2fwd", [*ALONE, *eal], []), FAILED, *said)


# The EAL's own refusals, in a line of packetwarp's with the EAL's reason.
BY_THE_EAL = [
    (["-l", "0", NULL_PORT, "--iova-mode", "zz"], WRONG_USAGE, ["the EAL did not start: invalid parameters for --iova-mode (its options:"]),
    (["-l", "0", NULL_PORT, "-r", "99"], WRONG_USAGE, ["the EAL did not start: invalid rank number"]),
    (["-l", "0", NULL_PORT, "-d", "/no/lib.so"], WRONG_USAGE, ["/no/lib.so: cannot open shared object file"]),
    (["-l", "0", "--vdev=net_ring0,nodeaction=xx"], FAILED, ["--vdev=net_ring0,nodeaction=xx: the driver made no port: ", "could not parse node value from xx"]),
    (["-l", "0", "--vdev=net_pcap0,tx_pcap=/no/where"], FAILED, ["the driver made no port: ", "/no/where"]),
]


@pytest.mark.parametrize(("eal", "status", "said"), BY_THE_EAL, ids=[" ".join(eal) for eal, _, _ in BY_THE_EAL])
def test_what_the_eal_refuses_is_told_in_one_line(packetwarp: Program, eal, status, said):
    run = packetwarp.run("l2fwd", [*ALONE, *eal], [])
    assert_refused(run, status, *said)
    assert len([line for line in run.stderr.splitlines() if "warning:" not in line]) == 1, run


def test_the_eals_lines_are_shown_to_a_user_who_asks_for_a_log_level(packetwarp: Program):
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", NULL_PORT, "--log-level=lib.eal:debug", "--iova-mode", "zz"], [])
    assert_refused(run, WRONG_USAGE, "invalid parameters for --iova-mode")
    assert "EAL: invalid parameters for --iova-mode" in run.stderr.splitlines(), run


@pytest.mark.parametrize(("command", "words"), [
    ("l2fwd", ["-w", "cpu"]), ("plan", ["--workers", "pair"]), ("generate", ["--through", "-w cpu"]),
    ("bench", ["--executors", "cpu"]), ("run", ["-l", "0", "-w", "cpu"]), ("run", ["-l", "0", "--json", "x"]),
])
def test_options_of_ours_in_front_of_the_dashes_are_told_where_they_go(packetwarp: Program, command, words):
    run = packetwarp.run(command, words, ["-c", "net.yaml"] if command == "run" else [])
    said = "neither the EAL nor packetwarp run has such an option" if words[-2] == "-w" and command == "run" else f"{words[-2]} is packetwarp's: put it after `--`"
    assert_refused_at_once(run, WRONG_USAGE, said)


def test_options_of_the_eal_behind_the_dashes_are_told_where_they_go(packetwarp: Program):
    for command, eal, options in (("l2fwd", [], ["--vdev=net_null0"]), ("run", [], ["-c", "net.yaml", "-l", "0-1"])):
        assert_refused_at_once(packetwarp.run(command, eal, options), WRONG_USAGE, "is the EAL's: put it in front of `--`")


def test_a_nic_that_nobody_named_is_not_looked_at(packetwarp: Program):
    """A PCI driver has nothing to say, though --no-pci is not given and the log is as open as it can be."""
    run = packetwarp.run("l2fwd", ["--in-memory", "-l", "0", NULL_PORT, "--log-level=8"], ["-v", "1"])
    assert run.status == DONE, run
    assert "PCI" not in run.stderr, run


CAPTURES = [
    ("not_a_capture.pcap", "is no capture"),
    ("no_bytes.pcap", "is no capture"),
    ("half_a_header.pcap", "is no capture"),
    ("linux_sll.pcap", "LINUX_SLL"),
    ("raw_ip.pcap", "RAW"),
]


@pytest.mark.parametrize(("name", "said"), CAPTURES, ids=[name for name, _ in CAPTURES])
def test_captures_that_cannot_be_forwarded(packetwarp: Program, captures, tmp_path, name, said):
    output = tmp_path / "out.pcap"
    device = f"--vdev=net_pcap0,rx_pcap={captures[name]},tx_pcap={output}"
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", device], ["--until-idle", "100ms"])
    assert_refused_at_once(run, FAILED, str(captures[name]), said)
    assert not output.exists()


def forward_from(packetwarp: Program, source: pathlib.Path, output: pathlib.Path, *options: str) -> Run:
    device = f"--vdev=net_pcap0,rx_pcap={source},tx_pcap={output}"
    return packetwarp.run("l2fwd", [*ALONE, "-l", "0", device], ["--until-idle", "100ms", *options])


def test_a_capture_that_is_not_there(packetwarp: Program, tmp_path):
    missing = tmp_path / "missing.pcap"
    run = forward_from(packetwarp, missing, tmp_path / "out.pcap")
    assert_refused_at_once(run, WRONG_USAGE, str(missing), "No such file")


MISSING = [
    ("l2fwd", ["--vdev=net_pcap0,rx_pcap=/no/such.pcap"], []), ("l2fwd", [NULL_PORT], ["--replay", "0=/no/such.pcap"]),
    ("generate", [NULL_PORT], ["--replay", "/no/such.pcap"]), ("generate", [NULL_PORT], ["--stl", "/no/such.py"]),
    ("run", [NULL_PORT], ["-c", "/no/such.yaml"]), ("plan", [NULL_PORT], ["-c", "/no/such.yaml"]),
]


@pytest.mark.parametrize(("command", "eal", "options"), MISSING, ids=[f"{command} {(eal + options)[-1]}" for command, eal, options in MISSING])
def test_a_file_to_read_that_is_not_there_is_wrong_usage_whichever_it_is(packetwarp: Program, command, eal, options):
    run = packetwarp.run(command, [*ALONE, "-l", "0", *eal], options)
    assert_refused_at_once(run, WRONG_USAGE, "/no/such.")


def test_a_folder_is_no_capture(packetwarp: Program, tmp_path):
    assert_refused_at_once(forward_from(packetwarp, tmp_path, tmp_path / "out.pcap"), WRONG_USAGE, str(tmp_path), "directory")


def test_an_output_that_cannot_be_written(packetwarp: Program, captures, tmp_path):
    nowhere = tmp_path / "nowhere" / "out.pcap"
    assert_refused(forward_from(packetwarp, captures["runts.pcap"], nowhere), FAILED, str(nowhere))


def test_an_output_that_is_the_input_is_left_alone(packetwarp: Program, captures, tmp_path):
    source = tmp_path / "in.pcap"
    source.write_bytes(captures["runts.pcap"].read_bytes())
    (tmp_path / "link.pcap").symlink_to(source)
    run = forward_from(packetwarp, source, tmp_path / "link.pcap")
    assert_refused_at_once(run, WRONG_USAGE, str(source), "same file")
    assert source.read_bytes() == captures["runts.pcap"].read_bytes()


def test_an_output_that_is_another_devices_input_is_left_alone(packetwarp: Program, captures, tmp_path):
    source = tmp_path / "in.pcap"
    source.write_bytes(captures["runts.pcap"].read_bytes())
    devices = [f"--vdev=net_pcap0,rx_pcap={source},tx_pcap={tmp_path / 'out.pcap'}",
               f"--vdev=net_pcap1,rx_pcap={captures['runts.pcap']},tx_pcap={source}"]
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", *devices], ["-w", "none"])
    assert_refused_at_once(run, WRONG_USAGE, "--vdev=net_pcap0: rx_pcap and tx_pcap of net_pcap1", str(source))
    assert source.read_bytes() == captures["runts.pcap"].read_bytes()


def test_more_pipelines_than_the_port_has_queues(packetwarp: Program, captures, tmp_path):
    run = forward_from(packetwarp, captures["runts.pcap"], tmp_path / "out.pcap", "-p", "3")
    assert_refused(run, WRONG_USAGE, "net_pcap0", "3 RX queues", "has 1", "-p", "'pipelines' of data_plane")


def test_a_frame_that_fits_no_mbuf_of_a_port_that_needs_one(packetwarp: Program, namespaces):
    middle = namespaces.add("middle")
    middle.ip("link", "add", "w0", "type", "veth", "peer", "name", "w1")
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", "--vdev=net_af_packet0,iface=w0"], ["-d", "128"], within=middle.command())
    assert_refused(run, FAILED, "net_af_packet0", "-d 2048")


@pytest.mark.parametrize("path", ["nowhere/result.json", "."])
def test_a_result_that_cannot_be_written(packetwarp: Program, tmp_path, path):
    run = packetwarp.run("l2fwd", [*ALONE, "-l", "0", NULL_PORT], ["--duration", "100ms", "--json", str(tmp_path / path)])
    assert_refused_at_once(run, FAILED, "--json", str(tmp_path / path))
    assert not list(tmp_path.iterdir())

# SPDX-License-Identifier: Apache-2.0
"""ci/connectx.sh without a ConnectX: its rules hit in software what they are to hit in a NIC, its files are such as
packetwarp takes, its stages run over a veth in the place of a cable, and without a NIC it says what it looked for."""
from __future__ import annotations

import json
import pathlib
import re
import shlex
import subprocess
import sys

import pytest
from connectx_rules import Case, cases, of_transfer
from harness import ALONE, DONE, FAILED, ROOT, WRONG_USAGE, end_with_the_tests
from namespaces import Namespaces, need_root_and_tools
from scapy.utils import PcapWriter, wrpcap

SCRIPT = ROOT / "ci/connectx.sh"
STAGES = ("capabilities", "rules", "hairpin", "transfer", "gpudirect", "writes", "rates")
FRAMES = 5

# A machine's devices: two ports of a ConnectX, one in InfiniBand mode, one that vfio-pci has, another vendor's.
DEVICES = (("0000:b5:00.0", "0x15b3", "0x020000", "mlx5_core"), ("0000:b5:00.1", "0x15b3", "0x020000", "mlx5_core"),
           ("0000:b6:00.0", "0x15b3", "0x020700", "mlx5_core"), ("0000:b7:00.0", "0x15b3", "0x020000", "vfio-pci"),
           ("0000:b8:00.0", "0x8086", "0x020000", "ice"))


def script(*words: str, within: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*within, str(SCRIPT), *words], capture_output=True, text=True, timeout=120, check=False, preexec_fn=end_with_the_tests)


def machine_with(*devices: tuple[str, str, str, str]) -> tuple[str, ...]:
    """The words that run a command on a machine with these devices and no others, as far as sysfs says."""
    if reason := need_root_and_tools("unshare", "mount"):
        pytest.skip(reason)
    make = "mount -t tmpfs none /sys/bus/pci && mkdir -p /sys/bus/pci/devices"
    for address, vendor, kind, driver in devices:
        folder = f"/sys/bus/pci/devices/{address}"
        make += (f" && mkdir -p {folder} /sys/bus/pci/drivers/{driver} && echo {vendor} >{folder}/vendor && echo {kind} >{folder}/class"
                 f" && echo -1 >{folder}/numa_node && ln -s /sys/bus/pci/drivers/{driver} {folder}/driver")
    return ("unshare", "--mount", "sh", "-c", f'{make} && exec "$@"', "sh")


@pytest.mark.parametrize(("words", "said"), (
    (["--fly"], "--fly: no such option"), (["hairpins"], "hairpins: no such stage"), (["--port"], "--port needs a value"),
    (["--port", "b5:00.0"], "'b5:00.0' is no PCI address, such as 0000:b5:00.0"), (["--port", "none"], "a port is needed"),
    (["--seconds", "0"], "--seconds 0"), (["--lcores", "2..5"], "'2..5' is no list of CPUs")), ids=" ".join)
def test_wrong_words_are_one_line(words, said):
    done = script(*words)
    assert done.returncode == WRONG_USAGE and done.stdout == "" and len(done.stderr.splitlines()) == 1, done
    assert said in done.stderr


@pytest.mark.parametrize("devices", ((), DEVICES[2:]), ids=("none", "others"))
def test_without_a_nic_one_line_says_what_was_looked_for(devices):
    done = script(within=machine_with(*devices))
    assert done.returncode == FAILED and done.stdout == "" and len(done.stderr.splitlines()) == 1, done
    for words in ("no ConnectX here", "15b3", "0200", "mlx5_core", "/sys/bus/pci/devices"):
        assert words in done.stderr


def test_a_port_that_is_no_connectx_is_told_beside_those_that_are():
    done = script("--port", "0000:b8:00.0", within=machine_with(*DEVICES))
    assert done.returncode == FAILED and len(done.stderr.splitlines()) == 1, done
    assert "0000:b8:00.0" in done.stderr and done.stderr.endswith("there are: 0000:b5:00.0 0000:b5:00.1\n")


def test_the_first_two_ports_are_taken_unless_others_are_given():
    done = script("--dry-run", "rates", within=machine_with(*DEVICES))
    assert done.returncode == DONE, done
    assert set(re.findall(r" -a (\S+)", done.stdout)) == {"0000:b5:00.0", "0000:b5:00.1"}
    done = script("--dry-run", "--port", "0000:b5:00.1", "--peer", "none", within=machine_with(*DEVICES))
    assert done.returncode == DONE and "-a 0000:b5:00.0" not in done.stdout and "--peer" in done.stdout, done


def test_a_nic_that_does_not_start_is_in_the_result(binary, tmp_path):
    """These ports are files: DPDK finds no device there."""
    result = tmp_path / "folder" / "connectx.txt"
    done = script("--binary", str(binary), "--output", str(result), "--lcores", "0", "--generator-lcores", "0", "rules",
                  within=machine_with(*DEVICES))
    assert done.returncode == FAILED, done
    text = result.read_text()
    for words in ("command   ci/connectx.sh --port 0000:b5:00.0", "commit    ", "machine   ", "program   packetwarp ", "nic       ", "gpu       ",
                  "== rules", "it did not start: "):
        assert words in text, text
    assert str(result) in done.stdout


def dry_run() -> str:
    done = script("--dry-run", "--lcores", "2-5", "--generator-lcores", "6-9")
    assert done.returncode == DONE, done
    return done.stdout


def test_a_dry_run_prints_every_stage_and_runs_nothing():
    text = dry_run()
    assert [line.split(":")[0][3:] for line in text.splitlines() if line.startswith("== ")] == list(STAGES)
    for words in ("packetwarp doctor", "mstflint -d", "devlink dev info", "show port info 0", "hairpin_mode: 0x0", "hairpin_mode: 0x12", "create_flows.sh",
                  "devlink dev eswitch show", "transfer pattern", "-w persistent -m device", "txq_inline_max=0", "--transport verbs -d mlx5_0", "--transport mlx5 -d mlx5_0", "--payload gpu --validate",
                  "--initiator gpu --payload gpu", "--forward-mode=macswap", "-w none"):
        assert words in text, words
    assert text.count(" flow --control ") >= 3 * len(cases())


def test_a_port_without_an_rdma_device_has_no_writes(binary, tmp_path):
    done = subprocess.run([sys.executable, str(ROOT / "python/connectx/connectx.py"), "--packetwarp", str(binary), "--port", "net_null0", "--lcores", "0",
                           "--generator-lcores", "0", "--folder", str(tmp_path), "writes"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == DONE, done
    assert done.stdout.endswith("\nnot tried: the port has no RDMA device (mlx5_ib, ib_uverbs)\n"), done


def test_the_commands_of_a_dry_run_are_packetwarps(packetwarp):
    """Each l2fwd is planned, on virtual ports in the place of NICs; each generate sends a little."""
    commands = {line[2:].removesuffix(" &") for line in dry_run().splitlines() if line.startswith("$ build/packetwarp ")}
    frame = packetwarp.folder / "frame.pcap"
    wrpcap(str(frame), [cases()[0].frame])
    tried: set[tuple[str, ...]] = set()
    for words in map(shlex.split, sorted(commands)):
        command, options = words[1], words[words.index("--") + 1:] if "--" in words else []
        if command not in ("l2fwd", "generate") or "persistent" in options:
            continue
        small = {"--duration": "10ms", "--count": "10", "--loop": "1", "--replay": str(frame), "--json": None, "--control": None}
        options = [word for option, word in zip(["", *options], options) if word not in ("--json", "--control") and option not in ("--json", "--control")]
        options = [small.get(before) or word for before, word in zip(["", *options], options)]
        done = packetwarp.run("plan" if command == "l2fwd" else command, [*ALONE, "-l", "0", "--vdev=net_null0,no-rx=1"], options)
        if (command, *options) in tried:
            continue
        tried.add((command, *options))
        # The generator fails here: none of its packets comes back.
        assert done.status != WRONG_USAGE and (command == "generate" or done.status == DONE), done
    assert {command for command, *_ in tried} == {"l2fwd", "generate"}


def test_the_files_of_a_dry_run_are_such_as_packetwarp_takes(packetwarp, nic_library):
    """With NICs that are played."""
    files = re.findall(r"^# (\S+):\n((?:#   .*\n)+)", dry_run(), re.MULTILINE)
    written: dict[str, pathlib.Path] = {}
    for path, text in files:
        written[path] = packetwarp.folder / pathlib.Path(path).name
        lines = "".join(f"{line[4:]}\n" for line in text.splitlines())
        for other, here in written.items():
            lines = lines.replace(other, str(here))
        written[path].write_text(re.sub(r"^control: .*", "control: none", lines))
    networks = [path for path in written.values() if path.suffix == ".yaml"]
    assert {path.name for path in networks} == {"rules.yaml", "hairpin.yaml", "hairpin_pair.yaml"}
    for path in networks:
        done = packetwarp.run("run", [*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1"], ["-c", str(path), "--duration", "50ms"],
                              within=["env", f"LD_PRELOAD={nic_library}", f"RECORDING_NIC_LOG={packetwarp.folder / 'nic.log'}"])
        assert done.status == DONE, done


def test_there_is_a_rule_for_each_form_that_the_page_lists():
    page = (ROOT / "docs/flow.md").read_text()
    rules = [rule for case in (*cases(), *of_transfer()) for rule in case.rules]
    items = dict(re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)*) ?\|$", page[page.index("| item | fields |"):page.index("| action | argument |")], re.MULTILINE))
    assert len(items) == 9
    for item, fields in items.items():
        for field in re.findall(r"`(\w+)`", fields) or [""]:
            assert any(re.search(rf"(^| ){item}( \S+ \S+ \S+)* ?{field}", rule) for rule in rules), f"{item} {field}"
    table = page[page.index("| action | argument |"):]
    actions = re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in table[:table.index("\n\n")].splitlines()[2:]))
    assert len(actions) >= 22
    for action in actions:
        assert any(re.search(rf" actions (.* )?{action} ", rule) for rule in rules), action


@pytest.fixture(scope="module")
def nothing(tmp_path_factory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("nothing") / "nothing.pcap"
    with PcapWriter(str(path), linktype=1) as writer:
        writer.write_header(None)
    return path


SENT = [case for case in (*cases(), *of_transfer()) if case.frame is not None]
AT_ONCE = 12


def rules_on(port: int, case: Case, peer: int) -> str:
    return "".join(f"flow create {port} {re.sub(r'port_id id 1|ethdev_port_id 1', lambda found: found[0][:-1] + str(peer), rule)}\n" for rule in case.rules)


@pytest.mark.parametrize("first", range(0, len(SENT), AT_ONCE))
def test_every_frame_hits_its_rule(packetwarp, nothing, first):
    """Tables count the hits; a NIC must count the same. A case has a port of its own, and all have one peer."""
    batch, rules = SENT[first:first + AT_ONCE], packetwarp.folder / "flows.txt"
    rules.write_text("".join(rules_on(port, case, len(batch)) for port, case in enumerate(batch)))
    devices = []
    for port, case in enumerate(batch):
        frames = packetwarp.folder / f"frames{port}.pcap"
        wrpcap(str(frames), [case.frame] * FRAMES)
        devices.append(f"--vdev=net_pcap{port},rx_pcap={frames},rx_pcap={nothing}")
    devices.append(f"--vdev=net_pcap{len(batch)},rx_pcap={nothing},rx_pcap={nothing}")
    file = packetwarp.write_config({"interfaces": [{"name": f"port{n}", "port": n} for n in range(len(devices))],
                                    "rules": {"file": str(rules), "receive_queues": 2}})
    done = packetwarp.run("run", [*ALONE, "-l", "0", *devices], ["-c", str(file), "--control", "none", "--until-idle", "50ms", "--json", "-"])
    assert done.status == DONE, done
    hits = {(rule["port"], rule["number"]): rule["hits"] for rule in json.loads(done.stdout)["rules"]}
    wrong = {case.name: hits[port, case.counts] for port, case in enumerate(batch) if hits[port, case.counts] != FRAMES}
    assert not wrong, wrong


# rte_flow.h's: what a NIC that is played does not take.
ITEM_ICMP = 10


def test_each_rule_is_made_and_taken_away_in_a_nic_that_is_played(binary, nic_library, tmp_path):
    """Each is alone, and destroyed before the next. A refusal of the NIC is part of the result, and the rest goes on."""
    log, played = tmp_path / "nic.log", tmp_path / "packetwarp"
    played.write_text(f'#!/bin/sh\nLD_PRELOAD={nic_library} RECORDING_NIC_LOG={log} RECORDING_NIC=item={ITEM_ICMP} exec {binary} "$@"\n')
    played.chmod(0o755)
    done = subprocess.run([sys.executable, str(ROOT / "python/connectx/connectx.py"), "--packetwarp", str(played), "--port", "net_null0", "--lcores", "0",
                           "--generator-lcores", "0", "--folder", str(tmp_path), "rules", "transfer"],
                          capture_output=True, text=True, timeout=300, check=False, preexec_fn=end_with_the_tests)
    assert done.returncode == DONE, done
    taken = 0
    for case in (*cases(), *of_transfer()):
        said = "created; nothing sent: no --peer"
        if "port 1" in case.needs:
            said = "not tried: it needs port 1"
        elif case.name.startswith("icmp"):
            said = "refused: "
        taken += said.startswith("created") * len(case.rules)
        assert f"\n{case.name}: {said}" in done.stdout, (case.name, done.stdout)
    kinds = [line.split()[0] for line in log.read_text().splitlines()]
    assert kinds.count("create") == kinds.count("destroy") == taken, log.read_text()


def test_its_stages_run_over_a_veth(binary, tmp_path):
    """Rules in software, and af_packet: a stand-in for the NIC and its cable."""
    if reason := need_root_and_tools("ip", "ethtool", "dpdk-testpmd"):
        pytest.skip(reason)
    with Namespaces("pwtest") as namespaces:
        here = namespaces.add("cable")
        here.silence()
        here.ip("link", "add", "pwa", "type", "veth", "peer", "name", "pwb")
        for end in ("pwa", "pwb"):
            here.ip("link", "set", end, "up")
            here.run("ethtool", "-K", end, "tx", "off", "rx", "off", "gso", "off", "tso", "off", "gro", "off")
        done = subprocess.run(
            here.command(sys.executable, str(ROOT / "python/connectx/connectx.py"), "--packetwarp", str(binary), "--port", "net_af_packet0,iface=pwa", "--peer",
                         "net_af_packet1,iface=pwb", "--lcores", "0-1", "--generator-lcores", "0", "--seconds", "1", "--sizes", "64", "--rules-on", "cpu",
                         "--cases", "^(jump|ipv6 src|port_id)", "--folder", str(tmp_path), "rules", "transfer", "hairpin", "gpudirect", "rates"),
            capture_output=True, text=True, timeout=300, check=False, preexec_fn=end_with_the_tests)
    assert done.returncode == DONE, done
    for name in ("jump", "ipv6 src", "port_id and dec_ttl", "transfer drop", "transfer port_id and dec_ttl"):
        assert f"\n{name}: created; 100 hits of 100\n" in done.stdout, done.stdout
    assert "\nport_id: created; nothing sent" in done.stdout
    assert "verified  replayed, expected as-sent: flawless" in done.stdout and "10,006 on cpu" in done.stdout
    for program in ("l2fwd -w none", "testpmd io", "l2fwd -w cpu", "testpmd macswap"):
        assert re.search(rf"^ +64  {program} +\d+\.\d+, \d+\.\d+$", done.stdout, re.MULTILINE), done.stdout

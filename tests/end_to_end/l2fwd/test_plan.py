# SPDX-License-Identifier: Apache-2.0
"""`packetwarp plan` shows who would do what, on which queues, and starts nothing."""
from __future__ import annotations

import re

import make_captures
import pytest
from harness import ALONE, DONE, MIXED, WRONG_USAGE, Program


def null_ports(count: int) -> list[str]:
    return [f"--vdev=net_null{i}" for i in range(count)]


def lcores(count: int) -> list[str]:
    """Lcores 0 to count - 1, all on the one CPU that every machine has."""
    return ["--lcores", f"(0-{count - 1})@0"] if count > 1 else ["-l", "0"]


def rows(text: str, first_column: str) -> list[list[str]]:
    """A table of the plan, below the line that begins with its first column's name."""
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.split()[:1] == [first_column])
    below = lines[begin + 1:]
    end = below.index("") if "" in below else len(below)
    return [re.split(r"\s{2,}", line.strip()) for line in below[:end]]


def notes(text: str) -> list[str]:
    return [line.removeprefix("note: ") for line in text.splitlines() if line.startswith("note: ")]


def everything(pipeline: int, source: str, target: str) -> str:
    return f"receive {pipeline} ({source}), execute {pipeline} (cpu), transmit {pipeline} ({target})"


# lcores, ports, options; then each lcore's role and jobs, and how each note begins.
PLANS = [
    (1, 1, "", [("master + forwarding", everything(0, "port 0 rxq 0", "port 0 txq 0"))], []),
    (2, 1, "", [("master", "watches, prints"), ("forwarding", everything(0, "port 0 rxq 0", "port 0 txq 0"))], []),
    (2, 2, "", [("master", "watches, prints"),
                ("forwarding", everything(0, "port 0 rxq 0", "port 1 txq 0") + ", " + everything(1, "port 1 rxq 0", "port 0 txq 0"))],
     ["2 groups of jobs share 1 worker: give 3 lcores (-l 0-2)"]),
    (3, 2, "", [("master", "watches, prints"), ("forwarding", everything(0, "port 0 rxq 0", "port 1 txq 0")),
                ("forwarding", everything(1, "port 1 rxq 0", "port 0 txq 0"))], []),
    (5, 1, "-p 2", [("master", "watches, prints"), ("forwarding", everything(0, "port 0 rxq 0", "port 0 txq 0")),
                    ("forwarding", everything(1, "port 0 rxq 1", "port 0 txq 1")), ("forwarding", "idle"), ("forwarding", "idle")],
     ["2 of 4 workers have nothing to do"]),
    (3, 1, "--workers pair", [("master", "watches, prints"), ("forwarding", "receive 0 (port 0 rxq 0)"),
                              ("forwarding", "execute 0 (cpu), transmit 0 (port 0 txq 0)")], []),
    (4, 1, "--workers pair-cpu -w none", [("master", "watches, prints"), ("forwarding", "receive 0 (port 0 rxq 0)"),
                                          ("forwarding", "execute 0 (none)"), ("forwarding", "transmit 0 (port 0 txq 0)")], []),
    (3, 1, "--workers isolated-rx", [("master", "watches, prints"), ("isolated-receive", "isolate 0 (port 0 rxq 0)"),
                                     ("forwarding", everything(0, "isolated ring", "port 0 txq 0"))], []),
    (2, 2, "-p 1", [("master", "watches, prints"), ("forwarding", everything(0, "port 0 rxq 0", "port 1 txq 0"))],
     ["port 1 (net_null1) only sends"]),
    (3, 2, "--portmap (0,0)(1,1)", [("master", "watches, prints"), ("forwarding", everything(0, "port 0 rxq 0", "port 0 txq 0")),
                                    ("forwarding", everything(1, "port 1 rxq 0", "port 1 txq 0"))], []),
]


@pytest.mark.parametrize(("cores", "ports", "options", "workers", "remarks"), PLANS,
                         ids=[f"{cores} lcores, {ports} ports {options}" for cores, ports, options, _, _ in PLANS])
def test_who_does_what(packetwarp: Program, cores, ports, options, workers, remarks):
    run = packetwarp.run("plan", [*ALONE, *lcores(cores), *null_ports(ports)], options.split())
    assert run.status == DONE and not run.errors, run
    assert [(row[3], row[4]) for row in rows(run.stdout, "lcore")] == workers
    assert [row[0] for row in rows(run.stdout, "lcore")] == [str(i) for i in range(cores)]
    assert len(notes(run.stdout)) == len(remarks), run
    assert all(note.startswith(remark) for note, remark in zip(notes(run.stdout), remarks)), run


def test_ports_queues_and_memory(packetwarp: Program):
    options = ["-p", "4", "-b", "64", "--rxd", "256", "--txd", "512", "-d", "4k", "--mbcache", "0"]
    run = packetwarp.run("plan", [*ALONE, *lcores(1), *null_ports(2)], options)
    assert rows(run.stdout, "port") == [[str(i), f"net_null{i}", "net_null", "0", "2 x 256", "2 x 512"] for i in range(2)]
    assert rows(run.stdout, "pipeline") == [[str(i), f"port {i % 2} rxq {i // 2}", f"port {1 - i % 2} txq {i // 2}", "4"] for i in range(4)]
    # Four RX and four TX queues, and six bursts for each pipeline, in the next size of pool.
    needed = 4 * 256 + 4 * 512 + 4 * 64 * 6
    pool = re.search(r"packet pool: (\d+) packets x (\d+) bytes", run.stdout)
    assert pool and needed <= int(pool[1]) < 2 * needed and pool[2] == "4096", run
    assert "bursts of 64" in run.stdout


@pytest.mark.parametrize(("asked", "least", "noted"), ((1_000_000, 1_000_000, False), (100, 1024, True)))
def test_a_pool_of_a_size_that_is_asked_for(packetwarp: Program, asked, least, noted):
    run = packetwarp.run("plan", [*ALONE, *lcores(1), *null_ports(2)], ["--total-num-mbufs", str(asked)])
    pool = re.search(r"packet pool: (\d+) packets x", run.stdout)
    assert pool and least <= int(pool[1]) < least + 100_000, run
    assert any(f"{asked} packets asked for" in note for note in notes(run.stdout)) is noted, run


def test_nothing_is_forwarded(packetwarp: Program, tmp_path):
    result, before = tmp_path / "out.pcap", make_captures.pcap([make_captures.udp_frame(64, 1)])
    result.write_bytes(before)
    device = f"--vdev=net_pcap0,rx_pcap={MIXED},tx_pcap={result},tx_pcap={tmp_path / 'new.pcap'}"
    run = packetwarp.run("plan", [*ALONE, "-l", "0-1", device], [])
    assert run.status == DONE and "net_pcap0" in run.stdout, run
    assert result.read_bytes() == before and list(tmp_path.iterdir()) == [result]


def test_it_refuses_what_l2fwd_refuses(packetwarp: Program):
    for options in (["-b", "0"], ["-g", "0"], ["-p", "2000"], ["--portmap", "(0,9)"]):
        plan = packetwarp.run("plan", [*ALONE, "-l", "0", *null_ports(1)], options)
        l2fwd = packetwarp.run("l2fwd", [*ALONE, "-l", "0", *null_ports(1)], options)
        assert plan.status == l2fwd.status == 2, plan
        assert plan.errors[0].replace("plan", "l2fwd") == l2fwd.errors[0]
        assert plan.stdout == ""


def test_it_plans_for_lcores_of_another_machine(packetwarp: Program):
    run = packetwarp.run("plan", [*ALONE, "-l", "100-103", *null_ports(2)], ["-p", "3"])
    assert run.status == DONE and not run.errors, run
    assert [(row[0], row[1], row[3]) for row in rows(run.stdout, "lcore")] == [
        ("100", "100", "master"), ("101", "101", "forwarding"), ("102", "102", "forwarding"), ("103", "103", "forwarding")]
    assert any(note.startswith("CPU 100-103 is not one that this process may use") for note in notes(run.stdout)), run


def test_the_main_lcore_of_another_machine_is_the_one_that_is_asked_for(packetwarp: Program):
    eal = [*ALONE, "--lcores", "(0-1)@0,7@127", *null_ports(1)]
    run = packetwarp.run("plan", [*eal, "--main-lcore", "7"], [])
    assert [(row[0], row[1], row[3]) for row in rows(run.stdout, "lcore")][0] == ("7", "127", "master"), run
    wrong = packetwarp.run("plan", [*eal, "--main-lcore", "5"], [])
    assert wrong.status == WRONG_USAGE and wrong.stderr.count("\n") == 1 and "--main-lcore: 5" in wrong.stderr, wrong


ROUTED = {"interfaces": [{"name": "left", "port": 0, "addresses": ["10.0.0.1/24"]}, {"name": "right", "port": 1, "addresses": ["10.0.1.1/24"]}],
          "routes": [{"to": "0.0.0.0/0", "via": "10.0.1.2"}]}


@pytest.mark.parametrize(("rule", "said"), [
    ("flow create 0 ingress pattern udp dst is 70000 / end actions drop / end", "flows:1:"),
    ("flow create 0 ingress pattern udp / end actions set_ttl ttl_value 5 / end", "flows:1:"),
    ("flow create 5 ingress pattern udp / end actions drop / end", "flows:1:1: port 5: none of the network's, which are 0, 1"),
])
def test_rules_that_a_run_refuses_are_refused(packetwarp: Program, tmp_path, rule, said):
    (tmp_path / "flows").write_text(rule + "\n")
    file = str(packetwarp.write_config({**ROUTED, "rules": {"file": str(tmp_path / "flows")}}, tmp_path))
    asked = [packetwarp.run(command, [*ALONE, "-l", "0", *null_ports(2)], ["-c", file]) for command in ("plan", "run")]
    assert all(done.status == WRONG_USAGE and len(done.errors) == 1 and said in done.errors[0] for done in asked), asked
    assert asked[0].stdout == "" and asked[0].errors[0].partition("flows")[2] == asked[1].errors[0].partition("flows")[2]
    (tmp_path / "flows").write_text("flow create 0 ingress pattern udp / end actions drop / end\n")
    assert packetwarp.run("plan", [*ALONE, "-l", "0", *null_ports(2)], ["-c", file]).status == DONE


def test_json_is_refused_and_no_file_is_written(packetwarp: Program, tmp_path):
    run = packetwarp.run("plan", [*ALONE, "-l", "0", *null_ports(1)], ["--json", str(tmp_path / "plan.json")])
    assert run.status == WRONG_USAGE and run.stdout == "" and run.stderr.count("\n") == 1 and "--json" in run.stderr, run
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("pipelines", "noted"), ((["-p", "1"], "1 is"), (["-p", "2"], "2 are"), ([], "1 is"), (["-p", "3"], "")))
@pytest.mark.parametrize("command", ("plan", "l2fwd"))
def test_queues_that_no_pipeline_polls_are_noted(packetwarp: Program, command, pipelines, noted):
    """net_pcap and net_af_packet fill them all the same."""
    more = ["--control", "none", "--until-idle", "50ms"] if command == "l2fwd" else []
    device = "--vdev=net_pcap0" + f",rx_pcap={MIXED}" * 3
    run = packetwarp.run(command, [*ALONE, *lcores(1), device], [*pipelines, *more])
    said = [line for line in run.stdout.splitlines() if "RX queues" in line]
    assert run.status == DONE and len(said) == (1 if noted else 0), run
    text = (f"port 0 (net_pcap0): it has 3 RX queues, and {noted} in use; packets that come by the others are lost: use 3 "
            "pipelines (-p)")
    assert not noted or text in said[0], run

# SPDX-License-Identifier: Apache-2.0
"""packetwarp run with listed workers: their queues, the refused lists, and the plan."""
from __future__ import annotations

import json

import pytest
from harness import ALONE, DONE, MIXED, WRONG_USAGE, Program, Run
from live import FULL_RATE, live

PORTS = ("--vdev=net_null0", "--vdev=net_null1")

WORKERS = """\
data_plane:
  packets: 60000
  workers:
    - {lcore: 0, role: master}
    - lcore: 1
      role: forwarding
      ports:
        - {port: left, rx_queues: [0, 1], tx_queues: [0]}
        - {port: right, tx_queues: [0]}
    - lcore: 2
      role: forwarding
      ports:
        - {port: left, tx_queues: [1]}
        - {port: right, rx_queues: [0], tx_queues: [1], isolated_rx: {lcore: 3, ring: 1048576}}
"""
INTERFACES = """\
interfaces:
  - {name: left, port: net_null0, addresses: [192.0.2.1/24]}
  - {name: right, port: net_null1, addresses: [198.51.100.1/24]}
"""
KNI = "    - {lcore: 4, role: kni, ports: [{port: left, rx_queues: [2], tx_queues: [2]}]}\n"


def run_with(packetwarp: Program, text: str, *options: str, lcores: int = 4, command: str = "run") -> Run:
    path = packetwarp.folder / "network.yaml"
    path.write_text(text)
    eal = [*ALONE, "--lcores", f"(0-{lcores - 1})@0", *PORTS]
    return packetwarp.run(command, eal, ["-c", str(path), *options])


def test_each_worker_polls_its_own_queues(packetwarp):
    done = run_with(packetwarp, WORKERS + INTERFACES, "--duration", "200ms", "--json", "-")
    assert done.status == DONE, done
    result = done.result
    assert [(worker["lcore"], worker["role"], worker["jobs"]) for worker in result["workers"]] == [
        (0, "master", []),
        (1, "forwarding", ["receive 0", "execute 0", "transmit 0", "receive 1", "execute 1", "transmit 1"]),
        (2, "forwarding", ["receive 2", "execute 2", "transmit 2"]),
        (3, "isolated-receive", ["isolate 2"]),
    ]
    assert [(one["rx_port"], one["rx_queue"], one["tx_queue"]) for one in result["pipelines"]] == [(0, 0, 0), (0, 1, 0), (1, 0, 1)]
    assert all(one["rx"] > 0 for one in result["pipelines"]), result["pipelines"]
    assert done.packets.in_flight == 0


# The replaced text, the new text, the line of the error, its other words; in the file above.
CHANGES = [
    ("{lcore: 0, role: master}", "{lcore: 0, role: boss}", 4, ["workers[0].role", "'boss'", "master, forwarding, kni"]),
    ("{lcore: 0, role: master}", "{lcore: 0}", 4, ["workers[0]", "'role' is missing"]),
    ("{lcore: 0, role: master}", "{role: master}", 4, ["workers[0]", "'lcore' is missing"]),
    ("{lcore: 0, role: master}", "{lcore: 1, role: master}", 5, ["lcore 1", "workers[0]"]),
    ("{lcore: 0, role: master}", "{lcore: 128, role: master}", 4, ["workers[0].lcore", "'128'", "0 to 127"]),
    ("    - {lcore: 0, role: master}\n", "", 4, ["no worker is the master", "role: master"]),
    ("{lcore: 0, role: master}", "{lcore: 0, role: master, ports: [{port: left, rx_queues: [7]}]}", 4, ["master has no queues"]),
    ("{lcore: 0, role: master}", "{lcore: 0, role: master, cpu: 1}", 4, ["no key 'cpu'", "lcore, role, ports"]),
    ("rx_queues: [0, 1]", "rx_queues: [0, 0]", 8, ["RX queue 0 of left", "lcore 1"]),
    ("rx_queues: [0, 1]", "rx_queues: [0, one]", 8, ["ports[0].rx_queues[1]", "'one'", "0 to 1023"]),
    ("rx_queues: [0, 1]", "rx_queue: [0, 1]", 8, ["no key 'rx_queue'", "port, rx_queues, tx_queues, isolated_rx"]),
    ("{port: right, tx_queues: [0]}", "{port: middle, tx_queues: [0]}", 9, ["no interface 'middle'", "left, right"]),
    ("        - {port: right, tx_queues: [0]}\n", "", 5, ["no TX queue of right"]),
    ("{port: left, tx_queues: [1]}", "{port: left, tx_queues: [0]}", 13, ["TX queue 0 of left", "lcore 1"]),
    ("rx_queues: [0], tx_queues: [1], isol", "tx_queues: [1], isol", 14, ["isolated_rx", "rx_queues"]),
    ("{lcore: 3, ring: 1048576}", "{lcore: 1, ring: 1048576}", 14, ["lcore 1", "workers[1]"]),
    ("{lcore: 3, ring: 1048576}", "{lcore: 3, ring: 1048577}", 14, ["isolated_rx.ring", "'1048577'", "64 to 1048576"]),
    ("{lcore: 3, ring: 1048576}", "{lcore: 3, ring: 63}", 14, ["isolated_rx.ring", "'63'", "64 to 1048576"]),
    ("{lcore: 3, ring: 1048576}", "{ring: 64}", 14, ["'lcore' is missing"]),
    ("packets: 60000", "pipelines: 2", 2, ["data_plane.pipelines", "listed"]),
    ("packets: 60000", "isolated_ring: 1024", 2, ["data_plane.isolated_ring", "listed"]),
    # what only this machine does not have
    ("lcore: 2\n", "lcore: 9\n", 10, ["no lcore 9", "0, 1, 2, 3", "--lcores"]),
    ("{lcore: 3, ring: 1048576}", "{lcore: 7, ring: 1048576}", 14, ["no lcore 7", "0, 1, 2, 3"]),
    ("{lcore: 0, role: master}\n    - lcore: 1\n", "{lcore: 1, role: master}\n    - lcore: 0\n", 4, ["main lcore is 0", "--main-lcore 1"]),
    (INTERFACES, KNI + INTERFACES, 15, ["kni", "interfaces"]),
]


@pytest.mark.parametrize(("old", "new", "line", "said"), CHANGES, ids=[f"{i}-{new[:40]!r}" for i, (_, new, _, _) in enumerate(CHANGES)])
def test_what_is_wrong_is_told_by_its_place(packetwarp, old, new, line, said):
    text = WORKERS + INTERFACES
    assert old in text
    done = run_with(packetwarp, text.replace(old, new, 1), "--duration", "50ms", lcores=5 if new.startswith(KNI) else 4)
    assert done.status == WRONG_USAGE and done.stdout == "" and len(done.errors) == 1, done
    assert done.errors[0].startswith(f"packetwarp: error: {packetwarp.folder / 'network.yaml'}:{line}: data_plane"), done
    for word in said:
        assert word in done.errors[0], done


def test_more_queues_than_a_port_has(packetwarp):
    path = packetwarp.folder / "network.yaml"
    path.write_text("data_plane:\n  workers:\n    - {lcore: 0, role: master}\n"
                    "    - {lcore: 1, role: forwarding, ports: [{port: only, rx_queues: [1], tx_queues: [0]}]}\n"
                    "interfaces:\n  - {name: only, port: net_pcap0}\n")
    done = packetwarp.run("run", [*ALONE, "--lcores", "(0-1)@0", f"--vdev=net_pcap0,rx_pcap={MIXED}"],
                          ["-c", str(path), "--duration", "50ms"])
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert done.errors[0].endswith(f"{path}:4: data_plane.workers[1].ports[0]: port 0 (net_pcap0) has no RX queue 1; it can have one, 0")


def test_a_plan_draws_workers_queues_and_rings(packetwarp):
    interfaces = INTERFACES.replace("name: left,", "name: left, kernel: true,")
    done = run_with(packetwarp, WORKERS + KNI + interfaces, lcores=5, command="plan")
    assert done.status == DONE, done
    drawn = done.stdout.split("\n\n")[0].splitlines()
    assert drawn[0] == "node 0"
    lines = [" ".join(line.split()) for line in drawn[1:]]
    assert lines == [
        "CPU 0 lcore 0 master control plane, requests, statistics",
        "CPU 0 lcore 1 forwarding left rxq 0 -> receive -> [4 bursts] -> router (cpu) -> transmit -> left txq 0 | right txq 0",
        "left rxq 1 -> receive -> [4 bursts] -> router (cpu) -> transmit -> left txq 0 | right txq 0",
        "CPU 0 lcore 2 forwarding [ring 2: 1048576 packets] -> receive -> [4 bursts] -> router (cpu) -> transmit -> left txq 1 | right txq 1",
        "CPU 0 lcore 3 isolated-receive right rxq 0 -> isolate -> [ring 2: 1048576 packets]",
        "CPU 0 lcore 4 kni left rxq 2 -> kernel",
        "kernel -> left txq 2",
        "port 0 left (net_null0, net_null): 3 rxq x 1024, 3 txq x 1024 descriptors",
        "port 1 right (net_null1, net_null): 1 rxq x 1024, 2 txq x 1024 descriptors",
    ]
    assert "note: CPU 0 has lcores 1, 2, 3, 4, which take turns; give each a CPU of its own (--lcores)" in done.stdout


def test_a_plan_takes_the_files_own_eal_options(packetwarp):
    path = packetwarp.folder / "network.yaml"
    path.write_text(f"eal: {json.dumps([*ALONE, '--lcores', '(0-3)@0', *PORTS])}\n" + WORKERS + INTERFACES)
    done = packetwarp.run("plan", ["-c", str(path)])
    assert done.status == DONE and "lcore 3   isolated-receive" in done.stdout, done
    missing = packetwarp.run("plan", ["-c", str(packetwarp.folder / "nowhere.yaml")])
    assert missing.status == WRONG_USAGE and "cannot be read" in missing.errors[0], missing
    mask = packetwarp.run("plan", ["-c", "1", *ALONE, "--vdev=net_null0"])
    assert mask.status == DONE and "master + forwarding" in mask.stdout, "there it is the EAL's coremask"


def test_running_workers_say_how_they_are(packetwarp):
    config = {"data_plane": {"big_loop": "1ns", "message_timeout": "10s"},
              "interfaces": [{"name": "left", "port": 0}, {"name": "right", "port": 1}]}
    with live(packetwarp, config, "net_null0", "net_null1", lcores="0-1", pace=FULL_RATE) as running:
        said = running.json("workers")
        assert said["message_timeout_us"] == 10e6
        worker, = said["workers"]
        assert (worker["lcore"], worker["role"], worker["answered"]) == (1, "forwarding", True)
        assert worker["loops"] > 0 and 0 < worker["busy"] <= 1 and worker["message_timeouts"] == 0
        assert [job["name"] for job in worker["jobs"]] == [f"{kind} {n}" for n in (0, 1) for kind in ("receive", "execute", "transmit")]
        assert all(job["packets"] > 0 and job["cycles_per_packet"] > 0 for job in worker["jobs"])
        big = worker["big_loops"]
        assert 0 < big["count"] <= worker["loops"] and big["over_us"] == 0.001, "every loop iteration takes a nanosecond"
        assert big["longest_us"] > 0 and big["longest_seconds_ago"] >= 0
        reset = running.said("workers", "reset")
        assert reset == "big loops are counted anew by 1 worker\n"
        again = running.json("workers")["workers"][0]
        assert again["big_loops"]["count"] <= again["loops"] - worker["loops"], "only those since"
        assert again["messages"] >= 3
        lines = running.said("workers").splitlines()
        assert lines[0].split() == ["lcore", "role", "busy", "loops", "big", "loops", "longest", "ago", "in", "timeouts", "jobs,", "cycles/packet"]
        assert lines[1].split()[:2] == ["1", "forwarding"]
        assert lines[2].startswith("master: ") and len(lines) == 3
        assert running.ask("workers", "all").status == WRONG_USAGE
        done = running.running.interrupt()
    worker = done.result["workers"][1]
    assert worker["messages"] >= 4 and worker["message_timeouts"] == 0
    assert worker["big_loops"]["count"] > 0 and set(worker["big_loops"]["by_job"]) <= set(worker["jobs"])
    assert "big loops" in done.stderr, "live, too"


def test_nothing_is_written_down_where_that_is_asked_for(packetwarp):
    path = packetwarp.folder / "network.yaml"
    path.write_text("data_plane: {big_loop: 0, big_loop_master: 0}\ninterfaces:\n  - {name: left, port: net_null0}\n")
    done = packetwarp.run("run", [*ALONE, "-l", "0-1", "--vdev=net_null0"], ["-c", str(path), "--duration", "200ms", "--json", "-"])
    result = done.result
    assert [worker["big_loops"]["count"] for worker in result["workers"]] == [0, 0] and result["master"]["big_loops"]["count"] == 0
    assert [queue["queue"] for queue in result["ports"][0]["rx_queues"]] == [0]


@pytest.mark.parametrize(("key", "value", "said"), (
    ("big_loop", "100", "ms"), ("big_loop", "soon", "ms"), ("big_loop_master", "-1ms", "ms"), ("message_timeout", "0", "2ms"),
    ("tx_timeout", "3601s", "3600 s"), ("tx_timeout", "10", "ms")))
def test_times_that_are_wrong(packetwarp, key, value, said):
    done = run_with(packetwarp, f"data_plane: {{{key}: {value}}}\n{INTERFACES}")
    assert done.status == WRONG_USAGE and len(done.errors) == 1, done
    assert f"{packetwarp.folder / 'network.yaml'}:1: data_plane.{key}" in done.errors[0] and said in done.errors[0], done

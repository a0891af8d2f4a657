# SPDX-License-Identifier: Apache-2.0
"""Files of packetwarp run that take seconds to read: a signal does not wait for them, and long lists are read in their time."""
from __future__ import annotations

import copy
import json
import pathlib
import signal

from harness import DONE, FAILED, Program
from live import ROUTED, flows, live
from namespaces import wait_for

NULLS = ("net_null0,no-rx=1", "net_null1,no-rx=1")
# Seconds of reading, also in a release build.
ROUTES = 250_000


def append_routes(config: pathlib.Path, count: int) -> None:
    """To a file without routes. YAML's own writer would take a minute."""
    with config.open("a") as file:
        file.write("routes:\n")
        file.writelines(f"- {{to: 10.{n >> 12}.{n >> 4 & 255}.{(n & 15) << 4}/28, discard: true}}\n" for n in range(16, 16 + count))


def without_routes() -> dict:
    file = copy.deepcopy(ROUTED)
    del file["routes"]
    return file


def test_a_reload_is_given_up_when_the_run_ends_and_its_client_is_told(packetwarp, tmp_path):
    events = tmp_path / "events.jsonl"
    capture = flows(packetwarp.folder / "flows.pcap")
    with live(packetwarp, without_routes(), f"net_pcap0,rx_pcap={capture},infinite_rx=1", "net_null1,no-rx=1",
              options=("--event-log", str(events))) as running, running.client() as client:
        append_routes(running.config, ROUTES)
        client.sendall(b'{"command":"reload"}\n')
        running.report()  # later clients are served: the reload has begun
        running.running.send(signal.SIGTERM)
        answer = json.loads(client.makefile().readline())
        done = running.running.finish()
    assert answer["status"] == FAILED and answer["error"] == "the reload is given up: the run ends", answer
    assert done.status == DONE and done.packets.in_flight == 0, done
    assert done.errors == ["packetwarp: error: control socket: the reload is given up: the run ends"], done
    refused = [event for event in map(json.loads, events.read_text().splitlines()) if event["event"] == "reload_refused"]
    assert [(event["by"], event["text"]) for event in refused] == [("control socket", answer["error"])]


def test_a_reload_by_sighup_is_given_up_too(packetwarp):
    with live(packetwarp, without_routes(), *NULLS) as running:
        append_routes(running.config, ROUTES)
        running.running.send(signal.SIGHUP)
        running.report()
        running.running.send(signal.SIGTERM)
        done = running.running.finish()
    assert done.status == DONE, done
    assert done.errors == ["packetwarp: error: SIGHUP: the reload is given up: the run ends"], done


def handles(pid: int, number: signal.Signals) -> bool:
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:")).split()[1]
    return bool(int(caught, 16) >> (number - 1) & 1)


def test_a_signal_ends_the_reading_at_the_start(packetwarp: Program):
    config = packetwarp.write_config(without_routes())
    append_routes(config, ROUTES)
    with packetwarp.running(["-l", "0", *(f"--vdev={one}" for one in NULLS)], ["-c", str(config)], command="run") as running:
        wait_for(lambda: handles(running.process.pid, signal.SIGHUP), "the start")
        done = running.send(signal.SIGTERM).finish()
    assert done.status == DONE and done.log == ["packetwarp: info: given up before it began: a signal asked to end"], done


def test_ten_thousand_addresses_are_read_in_their_time(packetwarp: Program):
    """Each address was looked up in a list of its own: a sanitized program read for four minutes."""
    file = without_routes()
    file["interfaces"][0]["addresses"] += [f"20.{n >> 8}.{n & 255}.1/24" for n in range(10_000)]
    options = ["-c", str(packetwarp.write_config(file))]
    devices = ["-l", "0", *(f"--vdev={one}" for one in NULLS)]
    assert packetwarp.run("plan", devices, options, seconds=60).status == DONE
    file["interfaces"][1]["addresses"].append("20.39.15.7/24")
    options = ["-c", str(packetwarp.write_config(file))]
    done = packetwarp.run("plan", devices, options)
    assert "interfaces[1].addresses[1]: 20.39.15.0/24 is on interface left's wire already, by 20.39.15.1/24" in done.errors[0], done

# SPDX-License-Identifier: Apache-2.0
"""The pages that a run serves over HTTP: read by an independent parser, and by Prometheus itself."""
from __future__ import annotations

import json
import os
import pathlib
import re
import socket
import subprocess
from typing import Any

import prometheus
import pytest
from harness import ALONE, FAILED, WRONG_USAGE, Running
from live import NAT44, ROUTED, live, routed, wait_until
from namespaces import wait_for
from prometheus import OPENMETRICS, free_port, get, scraping
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as text_families
from seeing import NULLS, Control, assert_accounted_for, seen_l2fwd

FREE = ("--metrics", "0")


def endpoint(running: Running) -> str:
    """The address at which it says that it listens."""
    running.wait_for_log("metrics: http://")
    return re.search(r"metrics: (http://\S+)/metrics", running.stderr())[1]


def scrape(url: str) -> dict[str, float]:
    """Samples by their name and labels."""
    status, kind, text = get(f"{url}/metrics", OPENMETRICS)
    assert status == 200 and kind.startswith("application/openmetrics-text; version=1.0.0"), (status, kind)
    samples: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        assert family.name.startswith("packetwarp_") and family.documentation, family
        for one in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in one.labels.items())
            name = f"{one.name}{{{labels}}}"
            assert name not in samples, name
            samples[name] = one.value
    return samples


def counters_of(samples: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in samples.items() if "_total{" in name or "_bucket{" in name or "_count{" in name}


def expected_of(report: dict[str, Any]) -> dict[str, float]:
    """A report's statements about packets, as samples."""
    found: dict[str, float] = {}
    for one in report["pipelines"]:
        label = f"pipeline={one['id']}"
        found |= {f"packetwarp_packets_received_total{{{label}}}": one["rx"], f"packetwarp_packets_sent_total{{{label}}}": one["tx"],
                  f"packetwarp_bursts_total{{{label}}}": one["bursts"]}
        found |= {f"packetwarp_packets_dropped_total{{{label},reason={name}}}": count for name, count in one["dropped"].items()}
    for one in report["ports"]:
        found[f"packetwarp_port_packets_received_total{{port={one['id']},name={one['name']}}}"] = one["rx_packets"]
    return found


def test_counters_only_grow_and_never_exceed_the_end(packetwarp):
    with seen_l2fwd(packetwarp, *FREE) as (running, _):
        url = endpoint(running)
        first = counters_of(scrape(url))
        received = "packetwarp_packets_received_total{pipeline=0}"
        later: list[dict[str, float]] = [first]

        def has_grown() -> bool:
            later[:] = [counters_of(scrape(url))]
            return later[0][received] > first[received]
        wait_for(has_grown, "more packets", seconds=60)
        done = expected_of(running.interrupt().result)
    assert set(first) <= set(later[0])
    for name, value in first.items():
        assert value <= later[0][name], name
    for name, value in done.items():
        assert later[0][name] <= value, name


@pytest.mark.parametrize("accept", (None, "*/*", "text/plain", "text/html,application/xml;q=0.9,*/*;q=0.8"))
def test_a_client_that_does_not_ask_for_openmetrics_has_text(packetwarp, accept):
    with seen_l2fwd(packetwarp, *FREE) as (running, _):
        status, kind, text = get(f"{endpoint(running)}/metrics", accept)
        running.interrupt()
    assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert "# EOF" not in text and "# UNIT" not in text
    families = {family.name: family for family in text_families(text)}
    assert families["packetwarp_packets_received"].type == "counter"


def test_promtool_finds_nothing_wrong_with_the_text(packetwarp):
    """The text of a network with every metric."""
    program = prometheus.tool()
    if isinstance(program, str):
        pytest.skip(program)
    with routed(packetwarp, {**ROUTED, "nat44": NAT44, "metrics": 0}) as running:
        text = get(f"{endpoint(running.running)}/metrics")[2]
        running.running.interrupt()
    done = subprocess.run([program, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done


def test_names_of_drops_and_interfaces_are_there_before_anything_is_dropped(packetwarp):
    with routed(packetwarp, {**ROUTED, "nat44": NAT44, "metrics": 0}) as running:
        samples = scrape(endpoint(running.running))
        packets = running.running.interrupt().packets
    assert packets.dropped == {}
    for reason in ("tx_full", "punt_limited", "martian_source", "source_routed", "no_port", "table_full", "host_limit"):
        assert samples[f"packetwarp_packets_dropped_total{{pipeline=0,interface=left,reason={reason}}}"] == 0
        assert samples[f"packetwarp_packets_dropped_total{{pipeline=1,interface=right,reason={reason}}}"] == 0
    for reason in ("neighbours_full", "hold_full", "no_room"):
        assert samples[f"packetwarp_control_packets_dropped_total{{reason={reason}}}"] == 0
    assert samples["packetwarp_control_packets_punted_total{reason=ttl_exceeded}"] == 0
    assert samples["packetwarp_port_packets_received_total{port=0,name=net_pcap0,interface=left}"] > 0


def test_busy_and_idle_cycles_of_an_lcore_are_all_of_its_time(packetwarp):
    with seen_l2fwd(packetwarp, *FREE) as (running, control), Control(control) as asking:
        url = endpoint(running)
        first = scrape(url)
        asking.later_report(asking.report())
        samples = scrape(url)
        running.interrupt()
    of = "{lcore=1,role=forwarding}"
    busy, idle = samples[f"packetwarp_worker_busy_cycles_total{of}"], samples[f"packetwarp_worker_idle_cycles_total{of}"]
    assert busy > first[f"packetwarp_worker_busy_cycles_total{of}"] and idle >= first[f"packetwarp_worker_idle_cycles_total{of}"]
    assert samples[f"packetwarp_worker_busy_ratio{of}"] == pytest.approx(busy / (busy + idle))


def finite(packetwarp: Any) -> tuple[str, ...]:
    """As many packets as a capture has, some of which leave by a port that takes none."""
    from live import flows
    capture = flows(packetwarp.folder / "flows.pcap", count=5000)
    return f"net_pcap0,rx_pcap={capture}", "net_null1,no-rx=1"


def test_a_scrape_after_the_last_packet_is_the_result(packetwarp):
    with seen_l2fwd(packetwarp, *FREE, devices=finite(packetwarp)) as (running, control):
        url = endpoint(running)
        received = "packetwarp_packets_received_total{pipeline=0}"
        wait_for(lambda: scrape(url)[received] == 5000 == scrape(url)["packetwarp_packets_sent_total{pipeline=0}"], "all packets", seconds=60)
        last = scrape(url)
        report = json.loads(get(f"{url}/report.json")[2])
        done = running.interrupt().result
    expected = expected_of(done)
    assert {name: last[name] for name in expected} == expected
    assert last["packetwarp_latency_seconds_count{pipeline=0}"] == last["packetwarp_latency_seconds_bucket{pipeline=0,le=+Inf}"] == 5000
    assert assert_accounted_for(report)["packets"] == done["packets"]


def test_a_network_s_tables_are_served_too(packetwarp):
    with routed(packetwarp, {**ROUTED, "nat44": NAT44, "metrics": 0}) as running:
        url = endpoint(running.running)
        wait_until(running, lambda: scrape(url)["packetwarp_nat_sessions{protocol=udp}"] == 64, "a session of each flow")
        samples = scrape(url)
        assert samples["packetwarp_nat_sessions_made_total{}"] == 64
        assert "packetwarp_control_frames_sent_total{}" in samples
        running.running.interrupt()


def test_rules_that_count_have_the_names_of_their_interfaces(packetwarp):
    text = packetwarp.folder / "rules.txt"
    text.write_text("flow create 1 ingress pattern eth / end actions count / drop / end\n")
    interfaces = [{"name": "left", "port": 0}, {"name": "right", "port": 1}]
    with live(packetwarp, {"interfaces": interfaces, "rules": {"file": str(text)}, "metrics": 0}, *NULLS) as running:
        samples = scrape(endpoint(running.running))
        for name in ("hits", "bytes"):
            assert f"packetwarp_rule_{name}_total{{port=1,rule=0,on=cpu,interface=right}}" in samples, samples
        running.running.interrupt()


def test_pages_that_are_there_and_others(packetwarp):
    with seen_l2fwd(packetwarp, *FREE) as (running, _):
        url = endpoint(running)
        assert get(f"{url}/healthz")[::2] == (200, "ok\n")
        assert get(f"{url}/readyz") == (200, "application/json", '{"ready":true,"why":[]}\n')
        assert get(f"{url}/report.json")[1] == "application/json"
        status, kind, text = get(f"{url}/")
        assert status == 200 and kind.startswith("text/html"), (status, kind)
        assert re.findall(r'href="([^"]+)"', text) == ["/metrics", "/report.json", "/healthz", "/readyz"], text
        assert get(f"{url}/metric")[0] == 404
        address, port = url.removeprefix("http://").split(":")
        assert address == "127.0.0.1"
        # Clients that say nothing, and one that says too much.
        silent = [socket.create_connection((address, int(port))) for _ in range(40)]
        with socket.create_connection((address, int(port))) as one:
            one.sendall(b"GET / HTTP/1.1\r\nX: " + 9000 * b"x")
        for one in silent:
            one.close()
        assert get(f"{url}/healthz")[0] == 200
        running.interrupt()


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there is one CPU, and all have it")
def test_it_is_served_beside_the_workers(packetwarp):
    """The thread has none of the lcores' CPUs, or where they have all of them, the main lcore's."""
    with seen_l2fwd(packetwarp, *FREE, lcores="0@0,1@1") as (running, _):
        endpoint(running)
        threads = {}
        for task in pathlib.Path(f"/proc/{running.process.pid}/task").iterdir():
            status = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)
            threads[status["Name"].strip()] = status["Cpus_allowed_list"].strip()
        running.interrupt()
    assert [cpus for name, cpus in threads.items() if "worker" in name] == ["1"], threads
    cpus = {int(cpu) for part in threads["pw-metrics"].split(",") for cpu in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}
    assert 1 not in cpus, threads


@pytest.mark.parametrize(("words", "said", "status"), (
    (["--metrics", "localhost:1"], "--metrics: 'localhost:1' is not [ADDRESS:]PORT", WRONG_USAGE),
    (["--metrics", "192.0.2.1:0"], "this machine has no such address", FAILED)), ids=str)
def test_an_address_that_cannot_be_is_one_line(packetwarp, words, said, status):
    done = packetwarp.run("l2fwd", [*ALONE, "-l", "0", *(f"--vdev={device}" for device in NULLS)], [*words, "--control", "none", "--duration", "50ms"])
    assert done.status == status and len(done.errors) == 1 and said in done.errors[0], done


def test_a_port_that_is_in_use_is_one_line(packetwarp):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = packetwarp.run("l2fwd", [*ALONE, "-l", "0", *(f"--vdev={device}" for device in NULLS)],
                              ["--metrics", str(port), "--control", "none", "--duration", "50ms"])
    assert done.status == FAILED and len(done.errors) == 1, done
    assert f"127.0.0.1:{port} is in use; give another port" in done.errors[0], done


def test_prometheus_scrapes_a_run(packetwarp, tmp_path):
    program = prometheus.binary()
    if isinstance(program, str):
        pytest.skip(program)
    port = free_port()
    with seen_l2fwd(packetwarp, "--metrics", str(port), devices=finite(packetwarp)) as (running, control):
        with scraping(program, tmp_path, port) as server:
            wait_for(lambda: server.value("sum(packetwarp_packets_sent_total)") == 5000, "Prometheus to have seen all packets", seconds=90)
            assert server.value('up{job="packetwarp"}') == 1
            (target,) = server.targets()
            assert target["health"] == "up" and target["lastError"] == "", target
            samples = {}
            for metric, value in server.query('{__name__=~"packetwarp_.+_total"}'):
                labels = ",".join(f"{name}={text}" for name, text in metric.items() if name not in ("__name__", "job", "instance"))
                # It sorts labels by their names.
                samples[metric["__name__"], frozenset(labels.split(","))] = value
            in_flight = server.value("packetwarp_packets_in_flight")
            assert server.value("histogram_quantile(0.5, sum by (le) (packetwarp_latency_seconds_bucket))") > 0
        done = running.interrupt().result
    expected = {(name.split("{")[0], frozenset(name.split("{")[1][:-1].split(","))): value for name, value in expected_of(done).items()}
    assert {name: samples[name] for name in expected} == expected
    assert in_flight == 0


def test_control_socket_and_http_tell_the_same(packetwarp):
    with seen_l2fwd(packetwarp, *FREE) as (running, control), Control(control) as asking:
        url = endpoint(running)
        wait_for(lambda: json.loads(get(f"{url}/report.json")[2]) == asking.report(), "one report by both ways", seconds=60)
        running.interrupt()

# SPDX-License-Identifier: Apache-2.0
"""Every metric that the dashboard and the alerts name is one that a running packetwarp serves."""
from __future__ import annotations

import json
import pathlib
import re
import subprocess

import pytest
import yaml
from harness import ROOT
from live import NAT44, ROUTED, live, routed
from prometheus import OPENMETRICS, get, tool
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from test_live_report import with_rules
from test_metrics import endpoint

FILES = ("deploy/grafana/packetwarp.json", "deploy/prometheus/packetwarp-alerts.yml", "deploy/prometheus/packetwarp.yml")
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "info": ("_info",), "histogram": ("_bucket", "_count", "_sum")}


def names_of(url: str) -> dict[str, set[str]]:
    """The existing metrics, with the labels of their samples."""
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(get(f"{url}/metrics", OPENMETRICS)[2]):
        labels = {name for sample in family.samples for name in sample.labels}
        found |= {family.name + suffix: labels for suffix in SUFFIXES[family.type]}
    return found


def names_with_a_kernel_interface() -> dict[str, set[str]]:
    """The metrics of kernel interfaces, which take a namespace: by the text of a report that a unit test knows byte for byte.
    test_run_kernel.py has some of a running packetwarp."""
    text = (ROOT / "tests/telemetry/run_report_openmetrics_test.cpp").read_text()
    found = {name: set(re.findall(r"(\w+)=", labels))
             for name, labels in re.findall(r"^(packetwarp_kernel_\w+)\{([^}]*)\}", text, re.MULTILINE)}
    assert found
    return found


@pytest.fixture(scope="module")
def served(packetwarp_of_module) -> dict[str, set[str]]:
    """The metrics of a network with NAT44, and of one with rules."""
    packetwarp = packetwarp_of_module
    with routed(packetwarp, {**ROUTED, "nat44": NAT44, "metrics": 0}) as running:
        names = names_of(endpoint(running.running))
        running.running.interrupt()
    with live(packetwarp, {**with_rules(packetwarp), "metrics": "127.0.0.1:0"}, "net_null0", "net_null1,no-rx=1") as running:
        names |= names_of(endpoint(running.running))
        running.running.interrupt()
    return names | names_with_a_kernel_interface()


@pytest.mark.parametrize("path", FILES)
def test_metrics_that_are_named_are_served(served, path):
    named = set(re.findall(r"\bpacketwarp_[a-z_]+", (ROOT / path).read_text()))
    assert named or path.endswith("packetwarp.yml")
    assert named <= set(served), named - set(served)


def test_labels_that_the_dashboard_sums_by_are_there(served):
    dashboard = json.loads((ROOT / FILES[0]).read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(expressions) > 20
    of_prometheus = {"namespace", "instance", "job", "le"}
    for expression in expressions:
        names = re.findall(r"\bpacketwarp_[a-z_]+", expression)
        labels = {label.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(",")} - of_prometheus
        for name in names:
            assert labels <= served[name], (expression, served[name])


ALERTS = {rule["alert"]: rule for group in yaml.safe_load((ROOT / FILES[1]).read_text())["groups"] for rule in group["rules"]}


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_says_how_bad_it_is_and_waits(name):
    rule = ALERTS[name]
    assert rule["labels"]["severity"] in ("critical", "warning"), rule
    assert re.fullmatch(r"\d+[sm]", rule["for"]), rule
    assert rule["annotations"]["summary"], rule


# A counter that grows by 5 per scrape, and the alert about it.
LOSSES = [(f'packetwarp_packets_dropped_total{{instance="a",pipeline="0",interface="left",reason="{reason}"}}', alert, more)
          for reason, alert, more in (("no_port", "PacketwarpNatNoPort", ""), ("table_full", "PacketwarpNatTableFull", ""),
                                      ("host_limit", "PacketwarpNatLimits", "host_limit"),
                                      *((reason, "PacketwarpDropsPackets", reason) for reason in ("tx_full", "tx_chained", "kernel_full", "isolated_full")))]
LOSSES += [('packetwarp_nat_connections_untracked_total{instance="a"}', "PacketwarpNatConnectionsUntracked", "")]
LOSSES += [(f'packetwarp_control_packets_dropped_total{{instance="a",reason="{reason}"}}', alert, more)
           for reason, alert, more in (("neighbours_full", "PacketwarpNeighboursFull", ""),
                                  *((reason, "PacketwarpControlPlaneLoses", reason) for reason in ("hold_full", "tx_full", "no_memory", "kernel_full")))]


@pytest.mark.parametrize(("series", "alert", "reason"), LOSSES, ids=[f"{alert} {reason}" for _, alert, reason in LOSSES])
def test_an_alert_fires_from_the_first_loss_on_and_no_sooner(tmp_path, series, alert, reason):
    """By Prometheus's own promtool: the counter stands at 0 for five minutes, then grows for ten."""
    program = tool()
    if isinstance(program, str):
        pytest.skip(program)
    labels = {"severity": ALERTS[alert]["labels"]["severity"], "instance": "a"} | ({"reason": reason} if reason else {})
    summary = ALERTS[alert]["annotations"]["summary"].replace("{{ $labels.instance }}", "a").replace("{{ $labels.reason }}", reason)
    fires = [{"exp_labels": labels, "exp_annotations": {"summary": summary}}]
    case = tmp_path / "case.yml"
    case.write_text(yaml.safe_dump({
        "rule_files": [str(ROOT / FILES[1])], "evaluation_interval": "5s",
        "tests": [{"interval": "5s", "input_series": [{"series": series, "values": "0x60 5+5x120"}],
                   "alert_rule_test": [{"eval_time": "5m", "alertname": alert, "exp_alerts": []},
                                       {"eval_time": "12m", "alertname": alert, "exp_alerts": fires}]}]}))
    done = subprocess.run([program, "test", "rules", str(case)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_alert_tells_pods_of_the_same_name_apart(tmp_path):
    """Two namespaces have a pod nat-packetwarp-0 each. The first has no room for sessions, and drops packets; the second has no traffic."""
    program = tool()
    if isinstance(program, str):
        pytest.skip(program)
    pods = [{"job": "packetwarp", "instance": "nat-packetwarp-0", "namespace": name} for name in ("full", "idle")]
    series = []
    for labels, sessions, lost in zip(pods, ("96x200", "0x200"), ("0+5x200", "0x200"), strict=True):
        of = ",".join(f'{key}="{value}"' for key, value in labels.items())
        series += [{"series": f"packetwarp_nat_sessions{{{of}}}", "values": sessions}, {"series": f"packetwarp_nat_sessions_room{{{of}}}", "values": "100x200"},
                   {"series": f'packetwarp_packets_dropped_total{{{of},pipeline="0",reason="tx_full"}}', "values": lost}]
    expected = []
    for alert, more in (("PacketwarpNatFull", {}), ("PacketwarpDropsPackets", {"reason": "tx_full"})):
        summary = ALERTS[alert]["annotations"]["summary"].replace("{{ $labels.instance }}", "nat-packetwarp-0").replace("{{ $labels.reason }}", "tx_full")
        expected.append({"eval_time": "12m", "alertname": alert, "exp_alerts": [
            {"exp_labels": {"severity": "warning", **pods[0], **more}, "exp_annotations": {"summary": summary}}]})
    case = tmp_path / "case.yml"
    case.write_text(yaml.safe_dump({"rule_files": [str(ROOT / FILES[1])], "evaluation_interval": "5s",
                                    "tests": [{"interval": "5s", "input_series": series, "alert_rule_test": expected}]}))
    done = subprocess.run([program, "test", "rules", str(case)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_promtool_takes_the_rules_and_the_configuration():
    program = tool()
    if isinstance(program, str):
        pytest.skip(program)
    for what, path in (("rules", FILES[1]), ("config", FILES[2])):
        done = subprocess.run([program, "check", what, str(ROOT / path)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_on_metrics_describes_what_is_served(served):
    page = pathlib.Path(ROOT / "docs/metrics.md").read_text()
    for name in served:
        described = name.removeprefix("packetwarp_")
        if described.startswith("latency_seconds"):
            described = "latency_seconds"
        assert f"`{described}`" in page, f"{name} is not described"

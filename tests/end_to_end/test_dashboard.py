# SPDX-License-Identifier: Apache-2.0
"""Every metric that the dashboard and the alerts name is one that a running packetwarp serves."""
from __future__ import annotations

import json
import pathlib
import re

import pytest
from harness import ROOT
from live import NAT44, ROUTED, live, routed
from prometheus import get
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from test_live_report import with_rules
from test_metrics import endpoint

FILES = ("deploy/grafana/packetwarp.json", "deploy/prometheus/packetwarp-alerts.yml", "deploy/prometheus/packetwarp.yml")
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "info": ("_info",), "histogram": ("_bucket", "_count", "_sum")}


def names_of(url: str) -> dict[str, set[str]]:
    """What may be asked for, with the labels of the samples that there are."""
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(get(f"{url}/metrics")[2]):
        labels = {name for sample in family.samples for name in sample.labels}
        found |= {family.name + suffix: labels for suffix in SUFFIXES[family.type]}
    return found


@pytest.fixture(scope="module")
def served(packetwarp_of_module) -> dict[str, set[str]]:
    """Of a network with NAT44, and of one with rules."""
    packetwarp = packetwarp_of_module
    with routed(packetwarp, {**ROUTED, "nat44": NAT44, "metrics": 0}) as running:
        names = names_of(endpoint(running.running))
        running.running.interrupt()
    with live(packetwarp, {**with_rules(packetwarp), "metrics": "127.0.0.1:0"}, "net_null0", "net_null1,no-rx=1") as running:
        names |= names_of(endpoint(running.running))
        running.running.interrupt()
    return names


@pytest.mark.parametrize("path", FILES)
def test_metrics_that_are_named_are_served(served, path):
    named = set(re.findall(r"\bpacketwarp_[a-z_]+", (ROOT / path).read_text()))
    assert named or path.endswith("packetwarp.yml")
    assert named <= set(served), named - set(served)


def test_labels_that_the_dashboard_sums_by_are_there(served):
    dashboard = json.loads((ROOT / FILES[0]).read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(expressions) > 20
    of_prometheus = {"instance", "job", "le"}
    for expression in expressions:
        names = re.findall(r"\bpacketwarp_[a-z_]+", expression)
        labels = {label.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(",")} - of_prometheus
        # A drop's name is there once there was one.
        labels -= {"reason"}
        for name in names:
            assert labels <= served[name], (expression, served[name])


def test_the_page_on_metrics_describes_what_is_served(served):
    page = pathlib.Path(ROOT / "docs/metrics.md").read_text()
    for name in served:
        described = name.removeprefix("packetwarp_")
        if described.startswith("latency_seconds"):
            described = "latency_seconds"
        assert f"`{described}`" in page, f"{name} is not described"

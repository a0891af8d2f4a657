# SPDX-License-Identifier: Apache-2.0
"""The plain manifests of deploy/manifests, without a cluster: no pod has more rights than it needs, and packetwarp takes their files.
make cluster-test has a real API server judge them, and compares them with the chart."""
from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import pytest
import yaml
from harness import DONE, ROOT, WRONG_USAGE

MANIFESTS = ROOT / "deploy/manifests"
NETWORK = ROOT / "deploy/helm/packetwarp/templates/_network.tpl"
LONGEST_END = 2 + 30  # seconds: for the packets in flight, and for a disk that does not take NAT44's state
PROFILES = sorted(path.parent.name for path in MANIFESTS.glob("*/packetwarp.yaml"))


def of_kind(profile: str, kind: str) -> Any:
    (found,) = [one for one in yaml.safe_load_all((MANIFESTS / profile / "packetwarp.yaml").read_text()) if one and one["kind"] == kind]
    return found


def test_every_profile_has_manifests():
    assert PROFILES == ["af_packet", "dra", "mlx5", "mlx5-gpu", "vfio"]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_pod_has_no_privilege_and_no_probe_that_runs_in_it(profile):
    pod = of_kind(profile, "StatefulSet")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    rights = container["securityContext"]
    assert rights["capabilities"]["drop"] == ["ALL"] and set(rights["capabilities"]["add"]) <= {"IPC_LOCK", "NET_ADMIN", "NET_RAW", "SYS_NICE"}
    assert "privileged" not in rights and rights["allowPrivilegeEscalation"] is False and pod["securityContext"]["runAsNonRoot"] is True
    assert all("httpGet" in container[probe] and "exec" not in container[probe] for probe in ("startupProbe", "livenessProbe", "readinessProbe"))
    assert container["resources"]["limits"] == container["resources"]["requests"]
    assert not [volume for volume in pod["volumes"] if "hostPath" in volume]


@pytest.mark.parametrize("profile", PROFILES)
def test_packetwarp_takes_the_file_of_a_pod(packetwarp, monkeypatch, profile):
    """On ports that need no device; with its own, the file is refused outside of a pod by the first device that is missing."""
    monkeypatch.setenv("POD_NAME", "packetwarp-1")
    file = yaml.safe_load(of_kind(profile, "ConfigMap")["data"]["network.yaml"])
    file["data_plane"] = {"packets": 65536}
    path = packetwarp.folder / "network.yaml"
    if profile in ("vfio", "mlx5", "mlx5-gpu"):
        path.write_text(yaml.safe_dump(file))
        done = packetwarp.run("plan", (), ["-c", str(path)])
        assert done.status == WRONG_USAGE and f"no device of {file['interfaces'][0]['port']['resource']}" in done.errors[0], done
    file |= {"lcores": "0-3", "eal": ["--in-memory", "--no-pci", "--vdev=net_null0", "--vdev=net_null1"]}
    for n, interface in enumerate(file["interfaces"]):
        interface["port"] = f"net_null{n}"
    path.write_text(yaml.safe_dump(file))
    done = packetwarp.run("plan", (), ["-c", str(path)])
    assert done.status == DONE, done


def reloaded() -> dict[str, list[str]]:
    """The chart's list of keys that a reload takes, by section."""
    (text,) = re.findall(r'define "packetwarp.reloaded" -}}\n(.*?){{- end', NETWORK.read_text(), re.S)
    return yaml.safe_load(text)


def words(path: str, list_of: str) -> set[str]:
    """The words of a list in a source."""
    (text,) = re.findall(rf"(?<!\w){list_of}\(?\{{([^}}]*)\}}", (ROOT / "src/module" / path).read_text())
    return set(re.findall(r'"(\w+)"', text))


def test_the_chart_starts_pods_anew_for_every_key_that_a_reload_refuses():
    """The chart's list of other keys is packetwarp's own, so a new key of packetwarp's needs a place in both."""
    assert reloaded().keys() == {"nat44", "rules", "detect", "inspect"}
    of = {section: set(keys) for section, keys in reloaded().items()}
    assert of["nat44"] == words("nat44/nat44_kind.cpp", "told_nat44_keys") - {"pool"}
    assert of["detect"] == words("detect/detect_kind.cpp", "told_detect_keys")
    assert of["inspect"] == words("inspection/inspection_kind.cpp", "told_inspection_keys")
    assert of["rules"] == words("rules/rules_reader.cpp", "require_keys") - words("rules/rules_kind.cpp", "fixed_rules_keys")
    assert words("router/router_kind.cpp", "router_keys") - words("router/router_kind.cpp", "fixed_router_keys") == {"routes", "neighbours"}


@pytest.mark.parametrize("profile", PROFILES)
def test_the_annotation_is_of_what_needs_another_start(profile):
    file = yaml.safe_load(of_kind(profile, "ConfigMap")["data"]["network.yaml"])
    for key in ("routes", "neighbours"):
        file.pop(key, None)
    for section, keys in reloaded().items():
        for key in keys:
            file.get(section, {}).pop(key, None)
    text = json.dumps(file, sort_keys=True, separators=(",", ":"))
    annotations = of_kind(profile, "StatefulSet")["spec"]["template"]["metadata"]["annotations"]
    assert annotations["packetwarp/start"] == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("profile", PROFILES)
def test_a_pod_is_given_the_time_that_its_end_may_take(profile):
    pod = of_kind(profile, "StatefulSet")["spec"]["template"]["spec"]
    drain = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]
    within = int(drain[drain.index("--within") + 1].removesuffix("s"))
    assert pod["terminationGracePeriodSeconds"] > within + LONGEST_END

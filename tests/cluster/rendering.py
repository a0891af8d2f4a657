# SPDX-License-Identifier: Apache-2.0
"""The chart's manifests for given values."""
from __future__ import annotations

import copy
import dataclasses
import json
import pathlib
import subprocess
from collections.abc import Iterator
from typing import Any

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy/helm/packetwarp"
MANIFESTS = ROOT / "deploy/manifests"
PROFILES = ("af_packet", "vfio", "mlx5", "mlx5-gpu", "dra")

Values = dict[str, Any]


def values_of(profile: str) -> Values:
    return yaml.safe_load((MANIFESTS / profile / "values.yaml").read_text())


def over(below: Values, above: Values) -> Values:
    """Both, as helm merges them: maps key by key, all else replaced."""
    merged = copy.deepcopy(below)
    for key, value in above.items():
        merged[key] = over(merged[key], value) if isinstance(value, dict) and isinstance(merged.get(key), dict) else copy.deepcopy(value)
    return merged


# Four value sets beside a profile's own; {} stands for these.
SETS: dict[str, Values] = {
    "as it is": {},
    "observed": {"podMonitor": {"enabled": True, "interval": "15s", "labels": {"release": "prometheus"}}, "alerts": {"enabled": True},
                 "dashboard": {"enabled": True}, "networkPolicy": {"from": [{"namespaceSelector": {"matchLabels": {"name": "monitoring"}}}]}},
    "large": {"replicas": 8, "nat44": {"block": 27}, "cpus": 16, "memory": "32Gi", "hugepages": {"size": "1Gi", "amount": "16Gi"}, "antiAffinity": "required",
              "image": {"digest": "sha256:" + "a" * 64, "pullPolicy": "Always", "pullSecrets": [{"name": "registry"}]},
              "tolerations": [{"key": "dataplane", "operator": "Exists", "effect": "NoSchedule"}], "nodeSelector": {"packetwarp": "yes"},
              "podDisruptionBudget": {"maxUnavailable": "25%"}, "dataPlane": {"burst": 64, "pipelines": 16}},
    "a router": {"replicas": 1, "nat44": {"enabled": False}, "routes": [{"to": "2001:db8:9::/48", "via": "2001:db8::9"}, {"to": "192.0.2.0/24", "discard": True}],
                 "extraFile": {"neighbours": [{"interface": "inside", "address": "2001:db8::9", "mac": "52:54:00:00:00:09"}]}, "antiAffinity": "none",
                 "extraEal": ["--log-level=*:warning"], "extraEnv": [{"name": "SITE", "value": "a"}], "networkPolicy": {"enabled": False}},
    "state as root": {"user": 0, "extraCapabilities": ["SYS_RAWIO"], "nat44": {"state": {"enabled": True, "size": "2Gi", "storageClass": "fast"},
                      "options": {"sessions": 100000, "timeouts": {"udp": "60s"}}, "block": 28}, "drain": {"within": 120}, "metrics": {"port": 9000},
                      "podLabels": {"team": "core"}, "podAnnotations": {"cpu-quota.crio.io": "disable"}, "runtimeClassName": "nvidia"},
}
# As docs/kubernetes.md has them.
RULES: Values = {"extraFile": {"rules": {"file": "/etc/packetwarp/flows.txt"}},
                 "extraFiles": {"flows.txt": "flow create 0 ingress pattern eth / ipv4 src is 192.0.2.66 / end actions drop / end\n"}}
IPV6 = {"inside": "2001:db8::1/64", "outside": "2001:db8:1::1/64"}


def set_of(profile: str, name: str) -> Values:
    values = over(values_of(profile), SETS[name])
    if name == "a router":
        for interface in values["interfaces"]:
            interface["addresses"].append(IPV6[interface["name"]])
            interface["mtu"] = 1968 if profile == "af_packet" else 9000
    return values


@dataclasses.dataclass(frozen=True)
class Chart:
    helm: pathlib.Path
    folder: pathlib.Path
    environment: dict[str, str]

    def template(self, values: Values) -> subprocess.CompletedProcess[str]:
        path = self.folder / "values.json"
        path.write_text(json.dumps(values))
        return subprocess.run([self.helm, "template", "nat", str(CHART), "--values", str(path), "--namespace", "default"], capture_output=True, text=True,
                              env={**self.environment, "HOME": str(self.folder)}, timeout=120, check=False)

    def manifests(self, values: Values) -> str:
        done = self.template(values)
        assert done.returncode == 0, done.stderr
        return done.stdout


def objects(manifests: str) -> Iterator[dict[str, Any]]:
    yield from (found for found in yaml.safe_load_all(manifests) if found)


def of_kind(manifests: str, kind: str) -> list[dict[str, Any]]:
    return [found for found in objects(manifests) if found["kind"] == kind]

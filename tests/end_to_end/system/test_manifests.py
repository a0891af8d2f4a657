# SPDX-License-Identifier: Apache-2.0
"""The plain manifests of deploy/manifests, without a cluster: no pod has more rights than it needs, and packetwarp takes their files.
make cluster-test has a real API server judge them, and compares them with the chart."""
from __future__ import annotations

from typing import Any

import pytest
import yaml
from harness import DONE, ROOT, WRONG_USAGE

MANIFESTS = ROOT / "deploy/manifests"
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

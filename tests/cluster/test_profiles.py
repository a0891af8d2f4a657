# SPDX-License-Identifier: Apache-2.0
"""Every profile with five value sets: the API server takes all objects, packetwarp takes the file, and no right is given that is not needed."""
from __future__ import annotations

import pathlib
import subprocess
from typing import Any

import pytest
import yaml
from rendering import MANIFESTS, PROFILES, RULES, SETS, objects, of_kind, over, set_of, values_of

KINDS = {"ConfigMap", "NetworkPolicy", "Pod", "PodDisruptionBudget", "Service", "ServiceAccount", "StatefulSet"}
OF_PROFILE = {"af_packet": {"NetworkAttachmentDefinition"}, "vfio": {"SriovNetwork", "SriovNetworkNodePolicy"}, "dra": {"ResourceClaimTemplate"},
              "mlx5": {"SriovNetwork", "SriovNetworkNodePolicy", "NicClusterPolicy"},
              "mlx5-gpu": {"SriovNetwork", "SriovNetworkNodePolicy", "NicClusterPolicy"}}
NEEDED = {"af_packet": {"NET_ADMIN", "NET_RAW"}, "vfio": {"IPC_LOCK", "SYS_NICE"}, "dra": {"IPC_LOCK", "SYS_NICE"},
          "mlx5": {"IPC_LOCK", "NET_ADMIN", "NET_RAW", "SYS_NICE"}, "mlx5-gpu": {"IPC_LOCK", "NET_ADMIN", "NET_RAW", "SYS_NICE"}}


@pytest.fixture(params=PROFILES)
def profile(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=SETS)
def manifests(request: pytest.FixtureRequest, profile: str, chart) -> tuple[str, str]:
    """The name of the value set, and what the chart makes of it."""
    return request.param, chart.manifests(set_of(profile, request.param))


def pods(text: str) -> list[dict[str, Any]]:
    return [found["spec"]["template"]["spec"] for found in of_kind(text, "StatefulSet")] + [found["spec"] for found in of_kind(text, "Pod")]


def assert_no_more_rights_than_needed(spec: dict[str, Any], needed: set[str]) -> None:
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec), spec
    assert spec["automountServiceAccountToken"] is False
    assert not [volume for volume in spec.get("volumes", []) if "hostPath" in volume], spec
    for container in spec["containers"]:
        rights = container["securityContext"]
        assert rights["capabilities"]["drop"] == ["ALL"] and set(rights["capabilities"].get("add", [])) == needed, rights
        assert not rights.get("privileged") and rights["allowPrivilegeEscalation"] is False and rights["readOnlyRootFilesystem"] is True, rights
        # An exec probe runs on the pod's own CPUs, beside the workers.
        assert not [probe for probe in ("startupProbe", "livenessProbe", "readinessProbe") if "exec" in container.get(probe, {})], container


def test_the_server_takes_every_object(cluster, profile, manifests):
    name, text = manifests
    kinds = {found["kind"] for found in objects(text)}
    more = {"PodMonitor", "PrometheusRule"} if name == "observed" else set()
    less = {"NetworkPolicy"} if name == "a router" else set()
    assert kinds == (KINDS | OF_PROFILE[profile] | more) - less
    done = cluster.judge(text)
    assert done.status == 0, done
    assert len(done.out.splitlines()) == len(list(objects(text))), done


def test_a_pod_has_no_right_that_it_does_not_need(profile, manifests):
    name, text = manifests
    more = {"SYS_RAWIO"} if name == "state as root" else set()
    packetwarp, test = pods(text)
    assert_no_more_rights_than_needed(packetwarp, NEEDED[profile] | more)
    assert_no_more_rights_than_needed(test, set())
    assert packetwarp["securityContext"]["runAsNonRoot"] is (name != "state as root")


def test_limits_are_requests_and_cpus_are_whole(profile, manifests):
    (container,) = pods(manifests[1])[0]["containers"]
    resources = container["resources"]
    assert resources["limits"] == resources["requests"] and resources["limits"]["cpu"].isdigit(), resources
    assert ("claims" in resources) == (profile == "dra")
    assert any(key.startswith("hugepages-") for key in resources["limits"]) == (profile != "af_packet")
    assert ("nvidia.com/gpu" in resources["limits"]) == (profile == "mlx5-gpu")


def file_of(text: str) -> dict[str, Any]:
    return yaml.safe_load(of_kind(text, "ConfigMap")[0]["data"]["network.yaml"])


def plan(packetwarp: pathlib.Path, folder: pathlib.Path, file: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    path = folder / "network.yaml"
    path.write_text(yaml.safe_dump(file))
    return subprocess.run([packetwarp, "plan", "-c", path], capture_output=True, text=True, timeout=120, check=False,
                          env={"PATH": "/usr/bin:/bin", "POD_NAME": "nat-packetwarp-1", "XDG_RUNTIME_DIR": str(folder), "RUNTIME_DIRECTORY": str(folder)})


def test_packetwarp_takes_the_file(packetwarp, tmp_path, manifests):
    """With ports that need no device, and on a CPU: every other word is the chart's."""
    file = file_of(manifests[1])
    own = {"lcores": "0-16", "eal": ["--in-memory", "--no-pci", "--vdev=net_null0", "--vdev=net_null1"]}
    file |= own | {"data_plane": file["data_plane"] | {"executor": "cpu", "placement": "host", "packets": 65536}}
    file["data_plane"].pop("gpus", None)
    for n, interface in enumerate(file["interfaces"]):
        interface["port"] = f"net_null{n}"
    if "state" in file.get("nat44", {}):
        file["nat44"]["state"] = str(tmp_path / "nat44.state")
    done = plan(packetwarp, tmp_path, file)
    assert done.returncode == 0, done.stderr


def test_packetwarp_reads_the_files_beside_its_file(packetwarp, tmp_path, chart):
    """The ConfigMap's texts, in a folder as the kubelet mounts it."""
    text = chart.manifests(over(values_of("af_packet"), RULES))
    data = of_kind(text, "ConfigMap")[0]["data"]
    assert data.keys() == {"network.yaml", "flows.txt"} and data["flows.txt"] == RULES["extraFiles"]["flows.txt"]
    (pod, _), mounted = pods(text), tmp_path / "flows.txt"
    assert {"name": "config", "mountPath": "/etc/packetwarp", "readOnly": True} in pod["containers"][0]["volumeMounts"]
    file = yaml.safe_load(data["network.yaml"]) | {"lcores": "0-1", "eal": ["--in-memory", "--no-pci", "--vdev=net_null0", "--vdev=net_null1"]}
    file["interfaces"] = [interface | {"port": f"net_null{n}"} for n, interface in enumerate(file["interfaces"])]
    file["rules"] = {"file": file["rules"]["file"].replace("/etc/packetwarp", str(tmp_path))}
    mounted.write_text(data["flows.txt"])
    assert plan(packetwarp, tmp_path, file).returncode == 0
    mounted.write_text("flow fly 0\n")
    done = plan(packetwarp, tmp_path, file)
    assert done.returncode == 2 and f"{mounted}:1" in done.stderr, done.stderr


def test_a_pod_has_the_volumes_that_it_is_given(cluster, chart):
    volume, mount = {"name": "models", "persistentVolumeClaim": {"claimName": "models"}}, {"name": "models", "mountPath": "/models", "readOnly": True}
    text = chart.manifests(over(values_of("af_packet"), {"extraVolumes": [volume], "extraVolumeMounts": [mount]}))
    pod = pods(text)[0]
    assert volume in pod["volumes"] and mount in pod["containers"][0]["volumeMounts"]
    done = cluster.judge(text)
    assert done.status == 0, done


@pytest.mark.parametrize(("address", "served"), (("0.0.0.0", "0.0.0.0:9464"), ("::", "[::]:9464")))
def test_metrics_are_served_where_the_kubelet_asks(chart, address, served):
    """It asks the pod's first address, which is IPv6 where the cluster's first family is."""
    assert file_of(chart.manifests(over(values_of("af_packet"), {"metrics": {"address": address}})))["metrics"] == served
    assert file_of(chart.manifests(values_of("af_packet")))["metrics"] == "0.0.0.0:9464"


@pytest.mark.parametrize(("state", "path"), ((False, "/var/cache/cuda"), (True, "/var/lib/packetwarp/cuda")))
def test_cuda_has_a_place_for_what_it_compiles(chart, profile, state, path):
    """The root is read-only. Without such a place CUDA compiles at every start."""
    container = pods(chart.manifests(over(values_of(profile), {"nat44": {"state": {"enabled": state}}})))[0]["containers"][0]
    places = [one["value"] for one in container["env"] if one["name"] == "CUDA_CACHE_PATH"]
    assert places == ([path] if profile in ("mlx5-gpu", "dra") else [])
    mounted = [one["mountPath"] for one in container["volumeMounts"]]
    assert not places or any(path.startswith(folder) for folder in mounted), mounted
    assert ("/var/cache/cuda" in mounted) == ("/var/cache/cuda" in places)


def test_a_cpu_gets_no_gpus(chart):
    """A profile's GPUs do not go with an executor that the file chooses."""
    values = over(values_of("mlx5-gpu"), {"dataPlane": {"executor": "cpu", "placement": "host"}})
    assert file_of(chart.manifests(values))["data_plane"] == {"executor": "cpu", "placement": "host"}
    assert file_of(chart.manifests(values_of("mlx5-gpu")))["data_plane"]["gpus"] == [0]


@pytest.mark.parametrize(("values", "place", "value"), (
    ({"dataPlane": {"poll_sleep": 0}}, ("data_plane", "poll_sleep"), 0),
    ({"extraFile": {"metrics": ""}}, ("metrics",), ""),
    ({"extraFile": {"nat44": {"inside": ""}}}, ("nat44", "inside"), ""),
    ({"nat44": {"options": {"inside": ""}}}, ("nat44", "inside"), ""),
    ({"nat44": {"options": {"pool": []}}}, ("nat44", "pool"), []),
    ({"dataPlane": {"burst": 64}}, ("data_plane", "poll_sleep"), "1ms")), ids=str)
def test_a_value_of_the_users_stands_also_if_it_is_empty(chart, values, place, value):
    """Helm's merge takes 0, false and empty values as missing. A file without a key that it needs is refused by packetwarp."""
    found: Any = file_of(chart.manifests(over(values_of("af_packet"), values)))
    for key in place:
        found = found[key]
    assert found == value


def test_a_port_is_the_devices_own(packetwarp, tmp_path, profile, chart):
    """Outside of a pod, packetwarp names the resource that the container lacks, or the interface."""
    file = file_of(chart.manifests(set_of(profile, "as it is")))
    resources = [interface["port"]["resource"] for interface in file["interfaces"] if isinstance(interface["port"], dict)]
    if profile in ("vfio", "mlx5", "mlx5-gpu"):
        done = plan(packetwarp, tmp_path, file | {"data_plane": {}})
        assert done.returncode == 2 and f"no device of {resources[0]}" in done.stderr, done.stderr
    elif profile == "af_packet":
        assert file["eal"][-2:] == ["--vdev=net_af_packet0,iface=inside", "--vdev=net_af_packet1,iface=outside"] and not resources
    else:
        assert [interface["port"] for interface in file["interfaces"]] == [0, 1]


def test_blocks_of_the_pool_differ_by_ordinal(profile, chart):
    file = file_of(chart.manifests(set_of(profile, "state as root")))
    assert file["nat44"]["pool"] == ["${block /28 of 203.0.113.0/24}"] and file["nat44"]["state"] == "/var/lib/packetwarp/nat44.state"


def test_plain_manifests_are_the_charts(cluster):
    done = subprocess.run([MANIFESTS / "generate.py", "--check", "--helm", cluster.programs / "helm"], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(cluster.folder)}, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def test_plain_manifests_take_an_overlay(cluster, tmp_path, profile):
    """kustomize, as docs/kubernetes.md has it: an image, a namespace and a number of replicas of one's own."""
    (tmp_path / "base").symlink_to(MANIFESTS / profile)
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump({
        "resources": ["base"], "images": [{"name": "localhost/packetwarp", "newName": "registry.example.com/packetwarp", "newTag": "1"},
                                          {"name": "registry.example.com/packetwarp-mlx5", "newName": "registry.example.com/packetwarp", "newTag": "1"}],
        "replicas": [{"name": "packetwarp", "count": 5}]}))
    text = cluster.kubectl("kustomize", "--load-restrictor=LoadRestrictionsNone", str(tmp_path))
    (made,) = of_kind(text, "StatefulSet")
    assert made["spec"]["replicas"] == 5 and made["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.example.com/packetwarp:1"
    done = cluster.judge(text)
    assert done.status == 0, done

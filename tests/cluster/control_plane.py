# SPDX-License-Identifier: Apache-2.0
"""Kubernetes' control plane on 127.0.0.1: etcd, API server, controllers and scheduler, as processes that end with the test."""
from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

TOKENS = {"admin": "system:masters", "system:kube-controller-manager": "", "system:kube-scheduler": ""}
PATIENCE = 60.0


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as open_ones:
        taken = [open_ones.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in taken]


def wait_for(condition: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
    """The first result of condition() that is true."""
    until = time.monotonic() + patience
    while not (result := condition()):
        assert time.monotonic() < until, f"{patience:.0f} s were too short for {what}"
        time.sleep(0.2)
    return result


@dataclasses.dataclass(frozen=True)
class Done:
    status: int
    out: str
    error: str

    def __str__(self) -> str:
        return f"exit status {self.status}\n{self.out}\n{self.error}"


@dataclasses.dataclass(frozen=True)
class Place:
    """The network that a control plane serves: 127.0.0.1, or an address in a namespace, by the words in front of a command there."""

    address: str = "127.0.0.1"
    command: tuple[str, ...] = ()
    # Users beside those of the control plane, with their groups.
    users: tuple[tuple[str, str], ...] = ()

    @property
    def tokens(self) -> dict[str, str]:
        return {**TOKENS, **dict(self.users)}


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Commands for a running control plane, as its administrator."""

    programs: pathlib.Path
    folder: pathlib.Path
    place: Place = dataclasses.field(default_factory=lambda: Place())

    @property
    def kubeconfig(self) -> pathlib.Path:
        return self.folder / "admin.kubeconfig"

    def run(self, program: str, *words: str, file: str = "") -> Done:
        """kubectl or helm, whose own files stay in the test's folder."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "KUBECONFIG": str(self.kubeconfig)}
        done = subprocess.run([*self.place.command, self.programs / program, *words], input=file, capture_output=True, text=True,
                              env=environment, timeout=300, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    def kubectl(self, *words: str, file: str = "") -> str:
        done = self.run("kubectl", *words, file=file)
        assert done.status == 0, f"kubectl {' '.join(words)}: {done}"
        return done.out

    def helm(self, *words: str) -> str:
        done = self.run("helm", *words)
        assert done.status == 0, f"helm {' '.join(words)}: {done}"
        return done.out

    def get(self, *words: str) -> Any:
        return json.loads(self.kubectl("get", *words, "-o", "json"))

    def apply(self, *objects: dict[str, Any]) -> None:
        self.kubectl("apply", "--server-side", "-f", "-", file=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))

    def judge(self, manifests: str) -> Done:
        """The API server's own validation, which changes nothing."""
        return self.run("kubectl", "apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-f", "-", file=manifests)


def write_keys(folder: pathlib.Path, tokens: dict[str, str]) -> None:
    for words in (["genrsa", "-out", "sa.key", "2048"], ["rsa", "-in", "sa.key", "-pubout", "-out", "sa.pub"]):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    lines = [f'token-{n},{user},{n},"{group}"' for n, (user, group) in enumerate(tokens.items())]
    (folder / "tokens.csv").write_text("\n".join(lines) + "\n")


def kubeconfig(server: str, token: int, **trust: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Config", "current-context": "it", "users": [{"name": "it", "user": {"token": f"token-{token}"}}],
            "clusters": [{"name": "it", "cluster": {"server": server, **trust}}], "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]}


def write_kubeconfigs(folder: pathlib.Path, server: str, tokens: dict[str, str]) -> None:
    for n, user in enumerate(tokens):
        config = kubeconfig(server, n, **{"certificate-authority": str(folder / "certificates/apiserver.crt")})
        (folder / f"{user.rpartition(':')[2]}.kubeconfig").write_text(json.dumps(config))


def commands(folder: pathlib.Path, place: Place) -> dict[str, list[str]]:
    """The programs in the order of their start, with their arguments."""
    etcd, peer, api, controllers, scheduler = free_ports(5)
    write_kubeconfigs(folder, f"https://{place.address}:{api}", place.tokens)
    at = f"http://127.0.0.1:{etcd}"
    return {
        "etcd": [f"--data-dir={folder}/etcd", f"--listen-client-urls={at}", f"--advertise-client-urls={at}", "--unsafe-no-fsync",
                 f"--listen-peer-urls=http://127.0.0.1:{peer}", f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
                 f"--initial-cluster=default=http://127.0.0.1:{peer}", "--log-level=error"],
        "kube-apiserver": [f"--etcd-servers={at}", f"--bind-address={place.address}", f"--advertise-address={place.address}", f"--secure-port={api}",
                           f"--cert-dir={folder}/certificates", f"--token-auth-file={folder}/tokens.csv", "--authorization-mode=Node,RBAC",
                           "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={folder}/sa.pub",
                           f"--service-account-signing-key-file={folder}/sa.key", "--service-cluster-ip-range=10.96.0.0/24",
                           "--kubelet-preferred-address-types=InternalIP"],
        # Nodes that are objects of a test have no kubelet that would report them as alive.
        "kube-controller-manager": [f"--kubeconfig={folder}/kube-controller-manager.kubeconfig", "--leader-elect=false",
                                    "--controllers=*" if place.users else "--controllers=*,-node-lifecycle-controller",
                                    "--use-service-account-credentials", "--bind-address=127.0.0.1",
                                    f"--secure-port={controllers}", f"--cert-dir={folder}/controllers",
                                    f"--service-account-private-key-file={folder}/sa.key"],
        "kube-scheduler": [f"--kubeconfig={folder}/kube-scheduler.kubeconfig", "--leader-elect=false", "--bind-address=127.0.0.1",
                           f"--secure-port={scheduler}", f"--cert-dir={folder}/scheduler"],
    }


@contextlib.contextmanager
def running(programs: pathlib.Path, folder: pathlib.Path, place: Place | None = None) -> Iterator[Cluster]:
    """A control plane with nothing in it, and everything of it gone afterwards."""
    place = place or Place()
    write_keys(folder, place.tokens)
    cluster = Cluster(programs, folder, place)
    with contextlib.ExitStack() as started:
        for name, arguments in commands(folder, place).items():
            log = started.enter_context((folder / f"{name}.log").open("w"))
            # A program of its own process group: an interrupted test run ends them in order.
            process = subprocess.Popen([*place.command, programs / name, *arguments], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=folder,
                                       start_new_session=True)
            started.callback(end, process)
            if name == "kube-apiserver":
                wait_for(lambda alive=process: is_ready(cluster, alive), f"the API server ({folder}/kube-apiserver.log)")
        wait_for(lambda: cluster.run("kubectl", "-n", "default", "get", "serviceaccount", "default").status == 0, "the controllers")
        yield cluster


def is_ready(cluster: Cluster, server: subprocess.Popen[bytes]) -> bool:
    assert server.poll() is None, f"the API server ended: {cluster.folder}/kube-apiserver.log"
    return cluster.run("kubectl", "get", "--raw", "/readyz").status == 0


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

# SPDX-License-Identifier: Apache-2.0
"""Prometheus itself, for a test: on loopback, a free port and a folder of the test's, ended with it.

It is taken from where it is installed, else from the distribution's package, unpacked and not installed: that would start
a daemon.
"""
from __future__ import annotations

import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

import yaml
from harness import ROOT
from namespaces import wait_for

UNPACKED = ROOT / "build" / "prometheus"
OPENMETRICS = "application/openmetrics-text; version=1.0.0"


def binary() -> pathlib.Path | str:
    """The program, or why there is none."""
    if found := shutil.which("prometheus"):
        return pathlib.Path(found)
    unpacked = UNPACKED / "usr/bin/prometheus"
    if unpacked.is_file():
        return unpacked
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        return "prometheus is not installed, and there is no apt-get to have it from"
    UNPACKED.mkdir(parents=True, exist_ok=True)
    got = subprocess.run(["apt-get", "download", "-qq", "prometheus"], cwd=UNPACKED, capture_output=True, text=True, timeout=120)
    packages = list(UNPACKED.glob("prometheus_*.deb"))
    if not packages:
        return f"prometheus is not installed, and apt-get does not have it: {got.stderr.strip().splitlines()[-1:]}"
    subprocess.run(["dpkg", "-x", packages[0], UNPACKED], check=True, capture_output=True, timeout=120)
    packages[0].unlink()
    return unpacked if unpacked.is_file() else "the package prometheus has no /usr/bin/prometheus"


def tool() -> pathlib.Path | str:
    """promtool, which its package has beside it, or why there is none."""
    program = binary()
    if isinstance(program, str):
        return program
    beside = program.with_name("promtool")
    if beside.is_file():
        return beside
    found = shutil.which("promtool")
    return pathlib.Path(found) if found else f"there is no promtool beside {program}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(url: str, accept: str | None = None) -> tuple[int, str, str]:
    """Status, content type and text; of a page on loopback."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, headers={"Accept": accept} if accept else {}), timeout=60) as page:
            return page.status, page.headers["Content-Type"], page.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers["Content-Type"], refused.read().decode()


class Prometheus:
    def __init__(self, url: str) -> None:
        self.url = url

    def query(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """The newest samples: labels and values."""
        status, _, text = get(f"{self.url}/api/v1/query?{urllib.parse.urlencode({'query': expression})}")
        assert status == 200, text
        return [(one["metric"], float(one["value"][1])) for one in json.loads(text)["data"]["result"]]

    def value(self, expression: str) -> float | None:
        found = self.query(expression)
        return found[0][1] if found else None

    def targets(self) -> list[dict[str, Any]]:
        return json.loads(get(f"{self.url}/api/v1/targets")[2])["data"]["activeTargets"]


@contextlib.contextmanager
def scraping(program: pathlib.Path, folder: pathlib.Path, port: int) -> Iterator[Prometheus]:
    """Prometheus that scrapes /metrics of a port of this machine, each second."""
    config = folder / "prometheus.yml"
    config.write_text(yaml.safe_dump({
        "global": {"scrape_interval": "1s"},
        "scrape_configs": [{"job_name": "packetwarp", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}]}))
    own = free_port()
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen([program, f"--config.file={config}", f"--storage.tsdb.path={folder / 'tsdb'}",
                                    f"--web.listen-address=127.0.0.1:{own}"], stdout=log, stderr=log)
    made = Prometheus(f"http://127.0.0.1:{own}")

    def is_ready() -> bool:
        with contextlib.suppress(OSError):
            return get(f"{made.url}/-/ready")[0] == 200
        return False
    try:
        wait_for(lambda: is_ready() or process.poll() is not None, "Prometheus to be ready", seconds=60)
        assert process.poll() is None, (folder / "prometheus.log").read_text()
        yield made
    finally:
        process.terminate()
        process.wait(30)

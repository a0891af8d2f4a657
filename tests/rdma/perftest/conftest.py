# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests beside perftest: a guest with a software RDMA device, and packetwarp on the other end of its wire."""
from __future__ import annotations

import json
import pathlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(ROOT / "tests/nic"), str(ROOT / "tests/end_to_end"), str(ROOT / "python")]

from built_program import add_binary_option, binary, pytest_sessionfinish  # noqa: E402, F401
from guest_drivers import Drivers  # noqa: E402
from guest_image import make_initial_files  # noqa: E402
from guest_rdma import OWN, PEER, WIRE, RdmaGuest, rdma_guest  # noqa: E402
from harness import end_with_the_tests  # noqa: E402
from namespaces import Namespace, Namespaces, need_root_and_tools, wait_for  # noqa: E402

# Frames of a path MTU of 4096 fit the entries of these rings.
RINGS = "framesz=8192,blocksz=8192"
LISTENS = f":{18515:04X} 00000000:0000 0A"  # perftest's TCP port, in /proc/net/tcp
SECONDS = 120  # for a program to end: a guest without KVM may stand still for seconds, where the machine is busy


def pytest_addoption(parser: pytest.Parser) -> None:
    add_binary_option(parser)
    parser.addoption("--debian", type=pathlib.Path, default=ROOT / "build/rdma/debian",
                     help="where QEMU, the guest's kernel and perftest are unpacked (default: build/rdma/debian, by ci/rdma_test.sh)")


def pytest_configure() -> None:
    """ci/rdma_test.sh ends this by SIGTERM, which must not leave a namespace or a guest either."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


class Ours:
    """packetwarp on the wire's other end."""

    def __init__(self, binary: pathlib.Path, host: Namespace, folder: pathlib.Path) -> None:
        self.binary, self._host, self._folder = binary, host, folder
        self._runs = 0

    def start(self, command: str, *words: str, rings: str = RINGS) -> tuple[subprocess.Popen[str], pathlib.Path]:
        """The running program, and the file of its result."""
        self._runs += 1
        result = self._folder / f"result{self._runs}.json"
        argv = [str(self.binary), command, "--in-memory", "--no-telemetry", "--lcores", "0", "--vdev",
                f"net_af_packet0,iface={WIRE},{rings}", "--",
                "--transport", "roce", "--address", OWN, "--json", str(result), *words]
        return self._host.popen(*argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=end_with_the_tests), result

    def server(self, command: str, *words: str) -> tuple[subprocess.Popen[str], pathlib.Path]:
        """Once it listens: perftest's clients do not try again."""
        process, result = self.start(command, *words)
        wait_for(lambda: LISTENS in self._host.run("cat", "/proc/net/tcp").stdout or process.poll() is not None, "the server to listen")
        return process, result

    def client(self, command: str, *words: str) -> dict[str, Any]:
        """Its result, once the peer listens."""
        process, result = self.start(command, *words, PEER)
        return finished(process, result)


def finished(process: subprocess.Popen[str], result: pathlib.Path) -> dict[str, Any]:
    said, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, f"{said}\n{errors}"
    return json.loads(result.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def debian(request: pytest.FixtureRequest) -> pathlib.Path:
    path = request.config.getoption("--debian").absolute()
    if not (path / "complete").exists():
        pytest.skip(f"{path} holds no perftest: ci/rdma_test.sh --unpack fetches it")
    return path


@pytest.fixture(scope="session")
def host() -> Iterator[Namespace]:
    if missing := need_root_and_tools("ip", "rdma", "tc", "ethtool"):
        pytest.skip(missing)
    with Namespaces("rdma") as all_of_them:
        made = all_of_them.add("host")
        made.silence()
        yield made


@pytest.fixture(scope="session")
def guest(debian, host, tmp_path_factory) -> Iterator[RdmaGuest]:
    folder = tmp_path_factory.mktemp("guest")
    make_initial_files(debian, Drivers(None), folder / "initial")
    with rdma_guest(debian, folder / "initial", folder, host) as made:
        yield made


@pytest.fixture
def ours(binary, host, tmp_path) -> Ours:
    return Ours(binary, host, tmp_path)

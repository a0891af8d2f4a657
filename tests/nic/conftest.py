# SPDX-License-Identifier: Apache-2.0
"""Options and fixtures of the tests on NICs that QEMU plays: the built binary in a guest, its NICs' wires here."""
from __future__ import annotations

import collections
import pathlib
import signal
import sys
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(ROOT / "tests/end_to_end"), str(ROOT / "python")]

from bed import DEVICES, STACKS, Bed, Device, bed_of  # noqa: E402
from built_program import add_binary_option, binary, pytest_sessionfinish  # noqa: E402, F401
from guest_drivers import drivers_for  # noqa: E402
from given_rules import queues_of, rules_on  # noqa: E402
from guest_image import make_initial_files  # noqa: E402
from guest_testpmd import Says, says_of  # noqa: E402
from namespaces import Namespaces, need_root_and_tools  # noqa: E402
from taken import UNPREPARED, note, noted  # noqa: E402

TOOLS = ("ip", "ethtool", "ping", "iperf3", "ss")
# The parts of a device's tests, each with a guest of its own beside the others'; they take about the same time. The tests of
# files that are not named here, and are not marked, are in the last part. Tests that ask testpmd are in one part.
PARTS = (1, 2, 3)
PART_OF = {"test_features": 1, "test_rules": 1, "test_stacks": 1, "test_faults": 1, "test_virtual_functions_page": 1, "test_doctor": 1,
           "test_frames": 2, "test_unplug": 2, "test_tap_rules": 2}


def pytest_addoption(parser: pytest.Parser) -> None:
    add_binary_option(parser)
    parser.addoption("--debian", type=pathlib.Path, default=ROOT / "build/nic/debian",
                     help="where QEMU and the guest's kernel are unpacked (default: build/nic/debian, by ci/nic_test.sh)")
    parser.addoption("--part", type=int, choices=PARTS, help="of the tests; together the parts are all (default: all)")
    parser.addoption("--devices", default="", metavar="NAME,...", help=f"of these alone ({', '.join([one.name for one in DEVICES] + [UNPREPARED])})")


def pytest_configure() -> None:
    """ci/nic_test.sh ends this by SIGTERM, which must not leave a namespace or a guest either."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def machine_of(item: pytest.Item) -> str:
    """The device of its guest."""
    callspec = getattr(item, "callspec", None)
    return callspec.params["bed"].name if callspec and "bed" in callspec.params else UNPREPARED


def part_of(item: pytest.Item) -> int:
    mark = item.get_closest_marker("part")
    return mark.args[0] if mark else PART_OF.get(item.path.stem, PARTS[-1])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test of some devices is not there for the others; nor are tests of devices, or of another part, if others are asked for."""
    asked, part = config.getoption("--devices"), config.getoption("--part")

    def is_for(item: pytest.Item) -> bool:
        mark = item.get_closest_marker("devices")
        if part and part_of(item) != part:
            return False
        return (mark is None or machine_of(item) in mark.args) and (not asked or machine_of(item) in asked.split(","))
    config.hook.pytest_deselected(items=[item for item in items if not is_for(item)])
    items[:] = filter(is_for, items)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """How long each device took, its guest's boot among it, and how much of that QEMU ran: the rest is this process's, and
    waiting, and what other programs of this machine took."""
    seconds: collections.Counter[str] = collections.Counter()
    reports = [report for some in terminalreporter.stats.values() for report in some if isinstance(report, pytest.TestReport)]
    for report in reports:
        device = next((one.name for one in DEVICES if report.nodeid.endswith(f"[{one.name}]")), UNPREPARED)
        seconds[device] += report.duration
    for device, took in seconds.items():
        terminalreporter.write_line(f"nic-test: {device}: {took:.0f} s, {noted(config, device):.0f} s of them QEMU's on a CPU")


@pytest.fixture(scope="session")
def debian(request: pytest.FixtureRequest) -> pathlib.Path:
    path = request.config.getoption("--debian").absolute()
    if not (path / "usr/bin/qemu-system-x86_64").exists():
        pytest.fail(f"{path} holds no QEMU: make nic-test unpacks it", pytrace=False)
    return path


@pytest.fixture(scope="session")
def initial_files(binary: pathlib.Path, debian: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("guest") / "initial.cpio"
    make_initial_files(debian, drivers_for(binary), path)
    return path


@pytest.fixture(scope="session", params=DEVICES, ids=lambda device: device.name)
def bed(request: pytest.FixtureRequest, binary: pathlib.Path, debian: pathlib.Path, initial_files: pathlib.Path,
        tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    """A guest for each device, for all of its tests: pytest has them run one after the other."""
    device: Device = request.param
    with Namespaces("pwnic") as namespaces:
        # NICs that no test uses would take a guest's time to boot.
        has_hosts = any("stacks" in getattr(item, "fixturenames", ()) for item in request.session.items if machine_of(item) == device.name)
        hosts = {side: namespaces.add(side) for side in STACKS} if has_hosts and not need_root_and_tools(*TOOLS) else {}
        with bed_of(device, binary, debian, initial_files, tmp_path_factory.mktemp(device.name), hosts) as made:
            yield made
            note(request.config, device.name, made.guest)
            made.must_be_well()


@pytest.fixture(scope="session")
def driver(bed: Bed) -> Says:
    """testpmd's answers about the device, in one run."""
    return says_of(bed, rules_on(queues_of(bed)), queues_of(bed))


@pytest.fixture
def stacks(bed: Bed) -> Bed:
    """The same, with hosts."""
    if reason := need_root_and_tools(*TOOLS):
        pytest.skip(reason)
    return bed

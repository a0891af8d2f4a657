# SPDX-License-Identifier: Apache-2.0
"""The fenced commands of docs/, README.md and CONTRIBUTING.md, and what each needs beyond two CPUs, virtual ports and files of the repository.

A fence without a word holds shell commands, `console` a session of them with their output; any other word (text, yaml, json,
...) holds none. The need of a command follows from its own words as far as possible; the few others stand in BY_NAME.
"""
from __future__ import annotations

import dataclasses
import pathlib
import re
from collections.abc import Iterator

from harness import ROOT

PAGES = sorted((ROOT / "docs").rglob("*.md"))
# Pages whose commands test_readme.py runs, where they need nothing.
OTHER_PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]

# The first that matches says why a command is not run. Each speaks of words within the command.
NEEDS: tuple[tuple[str, str], ...] = (
    (r"\[options\]|\b(FILE|FOLDER|BEFORE)\b", "a form, whose words in capitals stand for others"),
    (r"^examples/scale-out/\S+\.py ", "FRR and a replica: make scale-test runs it"),
    (r"^make |^ci/", "a stage of the project itself"),
    (r"-m pytest|\bctest\b|build/\w+/tests/", "tests, which run by themselves"),
    (r"\b(sudo|apt-get|dpkg|modprobe|mount|sysctl|systemctl|update-grub|reboot|cpupower|setpci|wget|mkdir /sys|rmdir|git clone)\b|--fix\b|nvidia-smi -pm|sed -i",
     "a change of the machine"),
    (r"> ?(/sys|/proc|\$irq)|/sys/fs/cgroup/", "a change of the machine"),
    (r"^(docker|kubectl) ", "a container runtime"),
    (r"^(\./t-rex|\./trex|\./dpdk_setup_ports|trex>|testpmd>)", "a prompt of another program"),
    (r"-a [0-9a-f:]+\.\d|mlx5|^(mst\w+|mlxfw\w+|ofed_info|ibv_\w+|rdma|ib_write_bw|dpdk-devbind\.py) |^ibv_devinfo|enp\d+s\d+f\d+|ethtool", "a NIC"),
    (r"nvidia|peermem|gdrcopy|BAR1|libgdr|build-deb-packages|-w (persistent|kernel|graph)\b|-m device|--placements \S*device|:(persistent|graph)\b|--(initiator|transport) (gpu|store)\b|gpunetio_posts", "a GPU"),
    (r"^benchmarks/rdma/peers/build\.sh", "downloads of 0.5 GB"),
    (r"iface=\w", "interfaces of the kernel by the page's names"),
    (r"^perf ", "a process that forwards on CPU 1 until it is stopped, and the right to count events"),
    (r"^dpdk-(dumpcap|pdump) |--file-prefix mine\b", "a hugetlbfs: test_dump_by_dpdk.py runs these"),
    (r"/cpu[2-9]\d*/", "more CPUs than two"),
)

BY_NAME: dict[str, str] = {
    "ip address show lan.kni": "root and a run with kernel interfaces: test_run_kernel.py makes one",
    "lspci -vvv | grep -e '^[0-9a-f].*bridge' -e ACSCtl": "root and PCIe bridges",
    "packetwarp drain --within 1ms --keep-routes --wait": "a run that ends then: test_kept_twins.py has one",
    "packetwarp run -c examples/router/network.yaml": "root and the interfaces that its example makes: test_examples.py runs it",
    "python/bench_seeing.py --packetwarp build/packetwarp --cores 1,2 --json seeing.json": "three CPUs, and minutes",
}


@dataclasses.dataclass(frozen=True)
class Command:
    page: str  # docs/bench.md
    line: int
    words: str  # without the comment of the line's end
    output: tuple[str, ...] | None  # what the page shows, where it shows something

    @property
    def need(self) -> str | None:
        """The first thing that it needs; None for a command that needs nothing."""
        return BY_NAME.get(self.words) or next((why for pattern, why in NEEDS if re.search(pattern, self.words)), None)

    @property
    def cpus(self) -> int:
        """The highest CPU that it puts lcores on, plus one. A plan may be another machine's."""
        lists = re.findall(r"(?:^| )-l (\S+)", self.words) if not re.match(r"(\S*/)?packetwarp plan ", self.words) else []
        return max((int(cpu) + 1 for cpus in lists for cpu in re.findall(r"\d+", cpus)), default=1)

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.words}"


@dataclasses.dataclass(frozen=True)
class Fence:
    page: str
    language: str
    lines: tuple[tuple[int, str], ...]


def fences(page: pathlib.Path) -> Iterator[Fence]:
    name, language, lines = str(page.relative_to(ROOT)), None, []
    for number, line in enumerate(page.read_text().splitlines(), start=1):
        if not line.lstrip().startswith("```"):
            lines.append((number, line))
        elif language is None:
            language, lines = line.strip()[3:], []
        else:
            yield Fence(name, language, tuple(lines))
            language = None
    assert language is None, f"{name}: a fence is not closed"


def commands_in(fence: Fence) -> Iterator[Command]:
    if fence.language == "console":
        yield from session_of(fence)
        return
    if fence.language:
        return
    rest = iter(fence.lines)
    for number, line in rest:
        while line.endswith("\\"):
            line = line[:-1].rstrip() + " " + next(rest)[1].strip()
        if line.strip():
            yield Command(fence.page, number, without_comment(line), None)


def session_of(fence: Fence) -> Iterator[Command]:
    starts = [place for place, (_, line) in enumerate(fence.lines) if line.startswith("$ ")]
    assert starts and starts[0] == 0, f"{fence.page}:{fence.lines[0][0]}: a console begins with `$ ` and a command"
    for start, end in zip(starts, [*starts[1:], len(fence.lines)]):
        number, line = fence.lines[start]
        yield Command(fence.page, number, without_comment(line[2:]), tuple(text for _, text in fence.lines[start + 1:end]))


def without_comment(line: str) -> str:
    return re.sub(r"\s{2,}# .*$|\s+# .*$", "", line.strip())


def commands_of(page: pathlib.Path) -> list[Command]:
    return [command for fence in fences(page) for command in commands_in(fence)]


def hidden_commands(page: pathlib.Path) -> list[str]:
    """Lines that are complete packetwarp commands within a fence whose word says that it holds none."""
    return [f"{fence.page}:{number}: {line}" for fence in fences(page) if fence.language not in ("", "console") for number, line in fence.lines
            if re.match(r"\s*(\$ )?(sudo )?(build/)?packetwarp [a-z]\w+ ", line) and "options]" not in line]

# SPDX-License-Identifier: Apache-2.0
"""dpdk-testpmd in the guest, on the ports that packetwarp is tested on: what it says of each command."""
from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Sequence

from bed import Bed
from raw_network import SIDES

PROMPT = "testpmd> "


def answers(bed: Bed, commands: Sequence[str], *options: str) -> list[str]:
    """The answer to each command, without its echo."""
    file = bed.guest.folder / "testpmd"
    file.write_text("\n".join([*commands, "quit", ""]))
    devices = " ".join(f"-a {bed.addresses[side]}" for side in SIDES)
    words = f"stdbuf -oL dpdk-testpmd --lcores 0-1 --in-memory {devices} -- -i --no-lsc-interrupt --disable-link-check --nb-cores=1 --total-num-mbufs=8192 {' '.join(options)}"
    # It reads each letter by itself, and writes it: to files of the guest's own memory, since others are reached by 9p.
    said = bed.guest.shell(f"cp {file} /tmp/commands; {words} < /tmp/commands > /tmp/testpmd 2>&1; cat /tmp/testpmd", seconds=240)
    chunks = re.split(f"^{PROMPT}", said, flags=re.MULTILINE)[1:]
    assert len(chunks) == len(commands) + 1, said[-2000:]
    return [chunk.partition("\n")[2].strip() for chunk in chunks[:-1]]


# Settings of a port beside rules, by the names of docs/hardware.md: the commands, the last of which answers.
CONTROLS = {"MTU change": ("port stop 0", "port config mtu 0 1400"),
            "multicast filter": ("port start 0", "mcast_addr add 0 01:00:5e:00:00:01"),
            "VLAN filter": ("vlan set filter on 0",),
            "further MAC addresses": ("mac_addr add 0 02:00:00:00:07:07",),
            "flow control": ("set flow_ctrl rx on tx on 300 50 10 1 mac_ctrl_frame_fwd off autoneg on 0",),
            "statistics by queue": ("show port xstats 0",)}
REFUSED = re.compile(r"diag=-\d+|error: |return code = -\d+")


@dataclasses.dataclass(frozen=True)
class Says:
    """A driver's abilities, by testpmd's commands: the rules that its first port takes, the way it spreads packets over queues,
    the number of these, and the controls among CONTROLS."""

    takes: list[bool]
    key: bytes
    table: list[int]
    queues: int
    does: dict[str, bool]


def says_of(bed: Bed, rules: Sequence[str], queues: int) -> Says:
    """A rule is taken that validate says would be, and that create makes when it comes to it, after those before it."""
    of_port = ["show port info 0", "show port 0 rss-hash key", "show port 0 rss reta 128 (0xffffffffffffffff,0xffffffffffffffff)"]
    of_rules = [f"flow {what} 0 {rule}" for what in ("validate", "create") for rule in rules]
    controls = ["flow flush 0", *itertools.chain(*CONTROLS.values())]
    commands = [*of_port, *of_rules, *controls]
    given = answers(bed, commands, f"--rxq={queues}", f"--txq={queues}")
    info, key, table = given[:len(of_port)]
    good, made = verdicts(of_rules, given[len(of_port):-len(controls)])
    found = re.search(r"RSS key:\s*([0-9A-F]+)", key)
    answered = dict(zip(commands, given, strict=True))
    does = {name: not REFUSED.search(answered[words[-1]]) for name, words in CONTROLS.items()}
    does["statistics by queue"] = "rx_q0_packets" in answered["show port xstats 0"]
    most = re.search(r"Max possible RX queues: (\d+)", info)
    assert most, info
    assert all(valid or not created for valid, created in zip(good, made, strict=True)), "a rule was made that is not valid"
    return Says(made, bytes.fromhex(found[1]) if found else b"", [int(queue) for queue in re.findall(r"queue=(\d+)", table)],
                int(most[1]), does)


def verdicts(commands: Sequence[str], given: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """For each rule: whether it is valid, and whether it was made."""
    for command, answer in zip(commands, given, strict=True):
        assert "Flow rule" in answer or "Caught PMD error" in answer, f"{command}: {answer}"
    rules = len(commands) // 2
    return ["Flow rule validated" in answer for answer in given[:rules]], ["created" in answer for answer in given[rules:]]

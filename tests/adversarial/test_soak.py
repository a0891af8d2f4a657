# SPDX-License-Identifier: Apache-2.0
"""Everything at once, for as long as --soak says: attacks mixed at random, reloads, a flapping port, clients, a log that
stalls; strangers' flows go on meanwhile, and at the end every packet is accounted for. `make soak`."""
from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections.abc import Iterator

import pytest
from asker import Asker, arp_asker
from besieged import MEBIBYTE, Besieged, answering_arp, besieged, host, whole_fragments_driver
from harness import resident_bytes
from namespaces import wait_for
from soak_attacks import FLAPPING, NEITHER, Attack, Soaked, attacks, soaked_file
from stranger import ENOUGH, Share, Stranger, udp_flow

# The time of a mixture, and its number of attacks at once.
MIXTURE_SECONDS, AT_ONCE = 6.0, 5
# The memory that may be added after the first round of all attacks: tables that fill, pools that are touched.
GROWTH = 64 * MEBIBYTE
# A flow's 99th percentile; two processors are shared with the attackers here, so this says only that nothing stood still.
SLOWEST = 1.0


# The least share of the strangers' packets, as they arrive, that the model detects; their first 80 teach it a flow.
DETECTED = 0.9

# For a host's ARP requests: the master goes on.
ANSWERED = "ARP answered"


def asking(made: Soaked) -> Asker:
    return arp_asker(made.made.ends[NEITHER], host(NEITHER, 4), host(NEITHER, 1))


class Tally:
    """The fate of a flow in all mixtures."""

    def __init__(self) -> None:
        self.sent = self.received = 0
        self.latencies: list[float] = []

    def add(self, share: Share) -> None:
        self.sent, self.received = self.sent + share.sent, self.received + share.received
        self.latencies = sorted(self.latencies + share.latencies[::10])

    def share(self) -> Share:
        return Share(self.sent, self.received, self.latencies)


def flows_of(made: Besieged) -> dict[str, Stranger]:
    """Translated, there and back, and routed to the port that is no side of NAT44."""
    back = udp_flow(made.ends[1], host(1), host(1, 1), 40404, 40000)
    return {"translated": made.stranger(0, 1), "answers": Stranger(made.ends[1], made.ends[0], back, port=40000),
            "routed": made.stranger(0, 3)}


@contextlib.contextmanager
def mixed(chosen: list[Attack], made: Soaked) -> Iterator[None]:
    ended = threading.Event()
    with contextlib.ExitStack() as stack:
        for attack in chosen:
            stack.enter_context(attack(made, ended))
        try:
            yield
        finally:
            ended.set()


def mixture(flows: dict[str, Stranger], tallies: dict[str, Tally], chosen: list[Attack], made: Soaked, seconds: float) -> str:
    first, asker = {name: flow.sent for name, flow in flows.items()}, asking(made)
    with mixed(chosen, made), asker.going():
        time.sleep(seconds)
    shares = {name: flow.since(first[name]) for name, flow in flows.items()} | {ANSWERED: asker.share()}
    for name, share in shares.items():
        tallies[name].add(share)
    for flow in flows.values():
        flow.forget()
    return ", ".join(f"{name} {share.share:.1%}" + (f", p99 {share.percentile(0.99) * 1e3:.1f} ms" if share.latencies else "") for name, share in shares.items())


def test_everything_at_once(request, packetwarp, figures, tmp_path):
    if not (seconds := request.config.getoption("--soak")):
        pytest.skip("a soak: make soak, or --soak SECONDS")
    seed = int(os.environ.get("SOAK_SEED", random.randrange(1 << 31)))
    chance = random.Random(seed)
    print(f"\nsoak: {seconds:g} s, SOAK_SEED={seed}", flush=True)
    log = tmp_path / "sessions"
    os.mkfifo(log)
    with contextlib.ExitStack() as stack:
        reader = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
        stack.callback(os.close, reader)
        made = stack.enter_context(besieged(packetwarp, figures, soaked_file(str(log)), driver=whole_fragments_driver(),
                                            options=("--metrics", "0")))
        soaked = Soaked(made, str(log), reader, chance)
        for end in (made.ends[1], made.ends[3]):
            stack.enter_context(answering_arp(end, {host(made.ends.index(end), 300 + n) for n in range(100)}))
        going = stack.enter_context(contextlib.ExitStack())
        flows = flows_of(made)
        for flow in flows.values():
            going.enter_context(flow.going())
            flow.calm(0.3)
        tallies = {name: Tally() for name in (*flows, ANSWERED)}
        run(soaked, flows, tallies, seconds, chance)
        going.close()
        judge(soaked, tallies)


def report_of(made: Besieged) -> object:
    with contextlib.suppress(BlockingIOError):
        return made.report()
    return None


def run(soaked: Soaked, flows: dict[str, Stranger], tallies: dict[str, Tally], seconds: float, chance: random.Random) -> None:
    all_of, over, number = attacks(), time.monotonic() + seconds, 0
    # Everything once first, so that what memory there is for it is taken.
    for name, attack in all_of.items():
        print(f"soak: {name}: {mixture(flows, tallies, [attack], soaked, 1)}", flush=True)
    soaked.settle()
    while time.monotonic() < over:
        chosen, number = chance.sample(list(all_of), AT_ONCE), number + 1
        said = mixture(flows, tallies, [all_of[name] for name in chosen], soaked, MIXTURE_SECONDS)
        print(f"soak: {number}: {' + '.join(chosen)}: {said}; {soaked.state()}", flush=True)
        assert soaked.made.live.running.is_alive(), soaked.made.live.running.so_far()
        # Is served, once the clients of the mixture have left, and accounts for every packet so far.
        wait_for(lambda: report_of(soaked.made), "a report")


def judge(soaked: Soaked, tallies: dict[str, Tally]) -> None:
    made = soaked.made
    soaked.wait_for_clients_to_be_left()
    files, grown = soaked.files(), resident_bytes(made.live.running.process.pid) - soaked.memory
    for name, tally in tallies.items():
        made.figures.say(f"{name}: {tally.share()}")
    made.figures.say(f"memory {grown / MEBIBYTE:+.1f} MiB, files {soaked.files_before} before, {files} after")
    report = made.end().result  # conserved, and nothing in flight
    made.figures.say(f"packets {report['packets']}")
    made.figures.say(f"control {report['control']}")
    unseen = soaked.unaccounted(report)
    made.figures.say(f"sent by hosts and counted by no port: {unseen}; no room in front of it: "
                     f"{ {n: soaked.without_room(n) for n in unseen} }")
    known, detect = sum(tally.received for name, tally in tallies.items() if name != ANSWERED), report["detect"]
    made.figures.say(f"{detect['models'][0]['anomalous']} packets detected, of {known} of the strangers; flows {detect['flows']}")
    assert detect["models"][0]["anomalous"] >= DETECTED * known and detect["flows"]["replaced"] > 0, detect
    for name, tally in tallies.items():
        assert tally.share().share >= ENOUGH, f"{name}: {tally.share()}"
        assert not tally.latencies or tally.share().percentile(0.99) < SLOWEST, f"{name}: {tally.share()}"
    assert grown < GROWTH, f"{grown} bytes more"
    assert files <= soaked.files_before + 2, f"{files} files open, {soaked.files_before} before"
    assert all(count == 0 for port, count in unseen.items() if port != FLAPPING), unseen

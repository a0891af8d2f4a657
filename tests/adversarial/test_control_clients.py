# SPDX-License-Identifier: Apache-2.0
"""Clients of the control socket and of HTTP that are silent, endless, cut or mad: others are served meanwhile."""
from __future__ import annotations

import contextlib
import itertools
import json
import random
import re
import socket
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator

import pytest
from besieged import Besieged, besieged, host, translated
from harness import WRONG_USAGE
from raw_interface import entered
from stranger import ENOUGH, Share
from wire_end import Background

# Less than the ten seconds after which HTTP leaves a silent client, and than the thirty of the control socket.
SOON = 8
A_MOMENT = 0.005


def ask(made: Besieged, seconds: float = SOON) -> dict:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(seconds)
        client.connect(str(made.live.control))
        client.sendall(b'{"command":"report"}\n')
        return json.loads(client.makefile().readline())


def served(made: Besieged, seconds: float) -> None:
    """Again and again, others notwithstanding."""
    over = time.monotonic() + seconds
    while time.monotonic() < over:
        answer = ask(made)
        assert answer["status"] == 0, answer


def health(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=SOON) as answer:
        return answer.status


@contextlib.contextmanager
def with_metrics(packetwarp, figures, lcores: str = "0-1") -> Iterator[tuple[Besieged, int]]:
    """HTTP is in the middle's namespace, which is only packetwarp's own: so it is asked from there."""
    with besieged(packetwarp, figures, translated(), options=("--metrics", "0"), lcores=lcores) as made:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", made.live.running.stderr())
        assert found, made.live.running.stderr()
        yield made, int(found[1])


def silent(count: int, made: Besieged) -> list[socket.socket]:
    """As many as get in; the socket's queue refuses or keeps the rest waiting."""
    clients = []
    for _ in range(count):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(0.2)
        with contextlib.suppress(OSError):
            client.connect(str(made.live.control))
        clients.append(client)
    return clients


@pytest.mark.first
def test_silent_control_clients_lock_nobody_out(packetwarp, figures):
    with besieged(packetwarp, figures, translated()) as made, contextlib.ExitStack() as stack:
        with made.strangers(back_to=host(1, 1)) as flow:
            calm = flow.calm()
            for client in silent(16, made):
                stack.enter_context(client)
            attacked = flow.during(lambda: served(made, 3))
        made.must_go_on("16 silent control clients", calm, attacked)
        stack.close()
        made.end()


FLOW = b'{"command":"nat sessions"}\n'
MAD = {
    "an endless line": b"x" * 200_000,
    "garbage": bytes(random.Random(1).randrange(256) for _ in range(5000)),
    "half a request": FLOW[:12],
    "many requests, no answer read": FLOW * 2000,
    "deep nesting": b"[" * 60_000 + b"\n",
    "nothing but lines": b"\n" * 50_000,
    "thousands of keys": json.dumps({str(n): "" for n in range(5000)}).encode() + b"\n",
}


def be_mad(made: Besieged, what: bytes) -> None:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
        client.settimeout(0.2)
        client.connect(str(made.live.control))
        client.sendall(what)


@pytest.mark.parametrize("lcores", ("0-1", "0"))
def test_mad_control_clients_harm_nobody(packetwarp, figures, times, lcores):
    """They leave in the middle of their requests, and of their answers. With one lcore the master forwards, too."""
    with besieged(packetwarp, figures, translated(), lcores=lcores) as made:
        with made.strangers(back_to=host(1, 1)) as flow:
            calm = flow.calm()

            def attack() -> None:
                for _ in range(3 * times):
                    for what in MAD.values():
                        be_mad(made, what)
                    served(made, 0.5)
            attacked = flow.during(attack)
        made.must_go_on("mad control clients", calm, attacked)
        made.end()


@pytest.mark.parametrize("lcores", ("0-1", "0"))
def test_each_command_succeeds_while_clients_are_mad(packetwarp, figures, times, lcores):
    """More of them at once than there are places: a command that finds no place, or loses it, asks again. Each attacker waits
    a moment now and then: it is to take places, not the CPU."""
    with besieged(packetwarp, figures, translated(), lcores=lcores) as made, contextlib.ExitStack() as stack:
        def go_mad(ended: threading.Event) -> None:
            for what in itertools.cycle(MAD.values()):
                if ended.wait(A_MOMENT):
                    return
                be_mad(made, what)

        def keep_coming(ended: threading.Event) -> None:
            """Sixteen at once, as often as can be, that ask one thing and leave with the answer."""
            while not ended.wait(A_MOMENT):
                with contextlib.ExitStack() as clients:
                    for client in silent(16, made):
                        clients.enter_context(client)
                        with contextlib.suppress(OSError):
                            client.sendall(FLOW)
        for attack in (go_mad, go_mad, go_mad, keep_coming, keep_coming):
            stack.enter_context(Background(attack))
        for _ in range(8 * times):
            made.live.said("reload")
            assert "sessions" in made.live.said("nat", "stats")
        stack.close()
        made.end()


def test_busy_control_clients_stop_no_plane_of_one_lcore(packetwarp, figures, times):
    with besieged(packetwarp, figures, translated(), lcores="0") as made:
        with made.strangers(back_to=host(1, 1)) as flow, contextlib.ExitStack() as stack:
            calm = flow.calm()

            def keep_asking(ended) -> None:
                with socket.socket(socket.AF_UNIX) as client:
                    client.settimeout(30)
                    client.connect(str(made.live.control))
                    lines = client.makefile()
                    while not ended.is_set():
                        client.sendall(FLOW * 20)
                        for _ in range(20):
                            lines.readline()
            for _ in range(4):
                stack.enter_context(Background(keep_asking))
            attacked = flow.during(lambda: time.sleep(3 * times))
        made.must_go_on("busy control clients", calm, attacked)
        made.end()


def test_a_capture_filter_that_loops_is_refused_before_a_packet_meets_it(packetwarp, figures):
    """A jump back, as libpcap's validator accepts it: a worker would follow it for ever."""
    with besieged(packetwarp, figures, translated()) as made, contextlib.ExitStack() as stack:
        stream = stack.enter_context(socket.socket(socket.AF_UNIX))
        path = f"{stack.enter_context(tempfile.TemporaryDirectory(prefix='pw'))}/stream"
        stream.bind(path)
        stream.listen()
        asked = {"stream": path, "program": f"5 0 0 {2**32 - 1},6 0 0 1"}
        with made.strangers(back_to=host(1, 1)) as flow:
            calm = flow.calm()

            def attack() -> None:
                with socket.socket(socket.AF_UNIX) as client:
                    client.settimeout(SOON)
                    client.connect(str(made.live.control))
                    client.sendall(json.dumps({"command": "capture", "arguments": asked}).encode() + b"\n")
                    answer = json.loads(client.makefile().readline())
                    assert answer["status"] == WRONG_USAGE and "jumps back" in answer["error"], answer
                served(made, 0.5)
            attacked = flow.during(attack)
        made.must_go_on("a capture filter that loops", calm, attacked)
        made.end()


def test_silent_and_slow_http_clients_delay_no_health_check(packetwarp, figures, times):
    """60 that say nothing, some that say a byte now and then, some that say what is no request."""
    with with_metrics(packetwarp, figures) as (made, port), contextlib.ExitStack() as stack:
        stack.enter_context(entered(made.middle))
        assert health(port) == 200
        with made.strangers(back_to=host(1, 1)) as flow:
            calm = flow.calm()
            clients = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5)) for _ in range(60)]
            for client in clients[:10]:
                client.sendall(b"GET /met")
            for client in clients[10:15]:
                client.sendall(MAD["garbage"])

            def check() -> None:
                for _ in range(6 * times):
                    assert health(port) == 200
                    time.sleep(0.25)
                    for client in clients[:10]:
                        with contextlib.suppress(OSError):
                            client.sendall(b"r")
            attacked = flow.during(check)
        made.must_go_on("silent and slow HTTP clients", calm, attacked)
        made.end()


def test_shares_are_counted() -> None:
    """The foundation of all these tests: a share that is short fails."""
    assert Share(100, 94, []).share < ENOUGH <= Share(100, 95, []).share

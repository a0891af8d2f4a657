# SPDX-License-Identifier: Apache-2.0
"""packetwarp drain: a run says that it leaves, forwards until its traffic has gone, and ends well."""
from __future__ import annotations

import pathlib
import subprocess
import urllib.error
import urllib.request

from harness import DONE, WRONG_USAGE
from live import FLOWS, NAT44, ROUTED, Live, live, routed, wait_until
from namespaces import wait_for
from test_metrics import endpoint

WITH_PAGES = {"options": ("--metrics", "0", "--report-age", "20ms")}


def readiness(made: Live) -> tuple[int, str]:
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{endpoint(made.running)}/readyz", timeout=60) as page:
            return page.status, page.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def has_ended(pid: int) -> bool:
    """A process that its parent has not yet waited for is a zombie."""
    stat = pathlib.Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_run_with_traffic_says_so_and_goes_on(packetwarp):
    with routed(packetwarp, ROUTED, **WITH_PAGES) as made:
        assert readiness(made)[0] == 200
        assert made.said("drain", "--within", "1h") == "it ends once no packet has left for a second, or after 3600 s\n"
        wait_for(lambda: readiness(made) == (503, '{"ready":false,"why":["the run is draining"]}\n'), "/readyz to say it")
        before = made.report()["packets"]["tx"]
        wait_for(lambda: made.report()["packets"]["tx"] > before, "packets that it forwards still")
        assert made.running.is_alive()
        made.said("drain", "--within", "1ms")
        done = made.running.finish()
    assert done.status == DONE and done.packets.in_flight == 0 and done.result["ended_by"] == "finished", done


def test_readiness_changes_with_the_answer_to_the_drain(packetwarp):
    """Reports may be a minute old, and the newest one says that the run is ready."""
    with routed(packetwarp, ROUTED, options=("--metrics", "0", "--report-age", "1m")) as made:
        assert readiness(made)[0] == 200
        made.said("drain", "--within", "1h")
        assert readiness(made) == (503, '{"ready":false,"why":["the run is draining"]}\n')
        made.said("drain", "--within", "1ms")
        done = made.running.finish()
    assert done.status == DONE, done


def test_a_run_without_traffic_ends_by_itself(packetwarp):
    with live(packetwarp, ROUTED, "net_null0,no-rx=1", "net_null1,no-rx=1") as made:
        made.said("drain", "--within", "24h")
        done = made.running.finish()
    assert done.status == DONE and done.result["ended_by"] == "finished", done
    assert [line for line in done.log if "draining: it ends once no packet has left" in line], done


def test_a_drain_that_waits_returns_after_the_run(packetwarp):
    with routed(packetwarp, ROUTED, **WITH_PAGES) as made:
        assert made.said("drain", "--within", "2s", "--wait").startswith("it ends once no packet has left")
        assert not made.control.exists() and has_ended(made.running.process.pid)
        done = made.running.finish()
    assert done.status == DONE and done.result["ended_by"] == "finished", done


def test_a_drain_that_waits_does_so_for_the_process_and_not_for_its_socket(packetwarp):
    """The socket goes first at the end of a run. Here it goes long before."""
    with routed(packetwarp, ROUTED, **WITH_PAGES) as made:
        words = packetwarp.words("drain", ["--within", "3s", "--wait", "--control", str(made.control)], None)
        with subprocess.Popen(words, stdout=subprocess.DEVNULL) as waiting:
            wait_for(lambda: readiness(made)[0] == 503, "the drain")
            made.control.unlink()
            assert waiting.wait(60) == DONE
            assert has_ended(made.running.process.pid)
        done = made.running.finish()
    assert done.status == DONE and done.result["ended_by"] == "finished", done


def test_a_wrong_time_is_refused_and_changes_nothing(packetwarp):
    with live(packetwarp, ROUTED, "net_null0,no-rx=1", "net_null1,no-rx=1", **WITH_PAGES) as made:
        for wrong in ("25h", "soon", "-1s"):
            done = made.ask("drain", f"--within={wrong}")
            assert done.status == WRONG_USAGE and "--within" in done.errors[0], done
        assert readiness(made)[0] == 200
        assert made.running.interrupt().status == DONE


def test_nat44_makes_no_new_sessions_and_goes_on_with_the_others(packetwarp):
    """Then its pool is another one, so that all flows need new sessions: they are dropped by name, and nothing leaves any more."""
    with routed(packetwarp, {**ROUTED, "nat44": NAT44}) as made:
        wait_until(made, lambda: made.json("nat", "stats")["live"] == FLOWS, "a session of each flow")
        made.said("drain", "--within", "1h")
        before = made.report()["packets"]
        wait_until(made, lambda: made.report()["packets"]["tx"] > before["tx"], "packets of the sessions")
        assert made.report()["packets"]["dropped"] == {} and made.json("nat", "stats")["made"] == FLOWS
        made.write({**ROUTED, "nat44": {**NAT44, "pool": ["198.18.0.1"]}})
        made.said("reload")
        done = made.running.finish()
    assert done.status == DONE and done.result["ended_by"] == "finished", done
    assert set(done.packets.dropped) == {"draining"} and done.result["nat"]["made"] == FLOWS, done


def test_one_that_asks_for_what_is_not_there_is_refused(packetwarp):
    with live(packetwarp, ROUTED, "net_null0,no-rx=1", "net_null1,no-rx=1", **WITH_PAGES) as made, made.client() as asking:
        asking.sendall(b'{"command":"drain","arguments":{"announced":"all"}}\n')
        assert "announced: 'all'" in asking.makefile().readline()
        assert readiness(made)[0] == 200
        assert made.running.interrupt().status == DONE

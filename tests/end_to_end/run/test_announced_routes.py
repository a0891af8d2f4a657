# SPDX-License-Identifier: Apache-2.0
"""`announce` of a kernel interface: routes of the kernel from which a routing daemon sees whether this machine serves."""
from __future__ import annotations

import contextlib
import pathlib
import subprocess
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from harness import ALONE, DONE, WRONG_USAGE
from namespaces import wait_for
from router_network import RouterNetwork, ping, router_between, two_networks

TWIN = "left.kni"
ANNOUNCED = ["203.0.113.0/24", {"to": "198.51.100.0/24", "until": "end"}, "2001:db8:99::/48", {"to": "0.0.0.0/0", "until": "drain"}]
UNTIL_DRAIN, UNTIL_END = {"203.0.113.0/24", "2001:db8:99::/48", "default"}, {"198.51.100.0/24"}


def with_announced(announced: list[Any], **more: Any) -> dict[str, Any]:
    file = {**two_networks(), **more}
    file["interfaces"][0]["kernel"] = {"driver": "tap", "announce": announced}
    return file


def routes(made: RouterNetwork) -> set[str]:
    """Destinations of the kernel's routes by the interface that have no next router and no source address."""
    if TWIN not in made.middle.interfaces():
        return set()
    lines = [line for version in ("-4", "-6") for line in made.middle.ip(version, "route", "show", "dev", TWIN, "proto", "static").stdout.splitlines()]
    assert all(" via " not in line for line in lines)
    return {line.split()[0] for line in lines}


@contextlib.contextmanager
def announcing(packetwarp, namespaces) -> Iterator[tuple[RouterNetwork, list[str]]]:
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        control = str(pathlib.Path(folder) / "s")
        with router_between(packetwarp, namespaces, with_announced(ANNOUNCED, control=control)) as made:
            yield made, ["--control", control]


@contextlib.contextmanager
def traffic(made: RouterNetwork) -> Iterator[None]:
    """A host asks the other one, again and again: a run that drains goes on, for it ends once no packet has left for a second."""
    asking = made.left.popen("ping", "-n", "-q", "-i", "0.02", "2.2.2.2", stdout=subprocess.DEVNULL)
    try:
        assert ping(made.left, "2.2.2.2").received == 3
        yield
    finally:
        asking.terminate()
        asking.wait()


def test_they_are_there_until_the_run_drains_or_ends(packetwarp, namespaces):
    with announcing(packetwarp, namespaces) as (made, control):
        assert routes(made) == UNTIL_DRAIN | UNTIL_END
        with traffic(made):
            for keeps, wanted in ((["--keep-routes"], UNTIL_DRAIN | UNTIL_END), ([], UNTIL_END), ([], UNTIL_END)):
                done = packetwarp.run("drain", ["--within", "1h", *keeps, *control])
                assert done.status == DONE, done
                assert routes(made) == wanted
        done = made.routing.finish()
        assert done.status == DONE and done.result["ended_by"] == "finished" and not done.warnings_of_the_run, done
        wait_for(lambda: not routes(made), "its routes to go with it")


def test_what_a_drain_has_withdrawn_stays_away_when_the_interface_is_set_down_and_up(packetwarp, namespaces):
    with announcing(packetwarp, namespaces) as (made, control), traffic(made):
        assert packetwarp.run("drain", ["--within", "1h", *control]).status == DONE
        made.middle.ip("link", "set", TWIN, "down")
        made.routing.wait_for_log(f"kernel interface {TWIN}: it was set down")
        made.middle.ip("link", "set", TWIN, "up")
        made.routing.wait_for_log(f"kernel interface {TWIN}: it was down and is up again")
        wait_for(lambda: routes(made) == UNTIL_END, "the route that stays until the end")


def test_the_kernel_takes_them_away_with_a_killed_run(packetwarp, namespaces):
    with announcing(packetwarp, namespaces) as (made, _):
        made.routing.process.kill()
        made.routing.process.wait()
        wait_for(lambda: not routes(made), "its routes to go with it")


@pytest.mark.parametrize(("announced", "said"), (
    (["203.0.113.1/24"], ["bits set after its prefix", "203.0.113.0/24"]), ([{"to": "203.0.113.0/24", "until": "never"}], ["'never'", "drain, end"]),
    ([{"until": "end"}], ["announce", "to"]), ([{"to": "203.0.113.0/24", "via": "1.1.1.1"}], ["via"]), (["everything"], ["'everything'", "no prefix"]),
    (["203.0.113.0/24", {"to": "203.0.113.0/24", "until": "end"}], ["203.0.113.0/24 is announced twice"])))
def test_a_wrong_one_is_refused_by_its_line(packetwarp, announced, said):
    config = packetwarp.write_config(with_announced(announced))
    done = packetwarp.run("run", [*ALONE, "-l", "0", "--vdev=net_null0", "--vdev=net_null1"], ["-c", config, "--duration", "50ms"])
    assert done.status == WRONG_USAGE and all(word in done.errors[0] for word in said), done

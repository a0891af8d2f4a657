# SPDX-License-Identifier: Apache-2.0
"""`packetwarp drain --keep-routes`: the kernel interfaces stay for the next run, and programs beside it notice nothing."""
from __future__ import annotations

import copy
import json
import shutil
from typing import Any

from harness import DONE, FAILED
from namespaces import Namespace, wait_for
from router_network import RouterNetwork, ping, router_between, routing_in, two_networks

TWIN = "left.kni"


def file_with(control: str, *announced: str) -> dict[str, Any]:
    file = {**two_networks(), "control": control}
    file["interfaces"][0]["kernel"] = {"driver": "tap", "announce": list(announced)}
    return file


def seen(middle: Namespace) -> dict[str, Any]:
    """All that a routing daemon knows of the interface, but its carrier."""
    link = json.loads(middle.ip("-j", "-d", "link", "show", TWIN).stdout)[0]
    routes = [middle.ip(version, "route", "show", "dev", TWIN).stdout.replace("linkdown ", "").splitlines() for version in ("-4", "-6")]
    addresses = [(one["local"], one["prefixlen"]) for one in json.loads(middle.ip("-j", "address", "show", TWIN).stdout)[0]["addr_info"]]
    return {"index": link["ifindex"], "mac": link["address"], "mtu": link["mtu"], "up": "UP" in link["flags"], "addresses": sorted(addresses),
            "routes": [sorted(line.strip() for line in lines) for lines in routes]}


def link(middle: Namespace) -> dict[str, Any]:
    return json.loads(middle.ip("-j", "-d", "link", "show", TWIN).stdout)[0]


def drain_and_end(packetwarp: Any, made: RouterNetwork, control: str, *more: str) -> None:
    done = packetwarp.run("drain", ["--within", "1ms", *more, "--control", control])
    assert done.status == DONE, done
    done = made.routing.finish()
    assert done.status == DONE and done.result["ended_by"] == "finished" and not done.warnings_of_the_run, done


def test_the_next_run_takes_them_over_as_they_are(packetwarp, namespaces, tmp_path):
    file = file_with(str(tmp_path / "s"), "203.0.113.0/24", "2001:db8:99::/48")
    with router_between(packetwarp, namespaces, file) as made:
        before = seen(made.middle)
        assert len(before["addresses"]) == 3 and before["up"], before
        changes = made.middle.popen("ip", "monitor", "address", "route", stdout=(tmp_path / "changes").open("w"))
        drain_and_end(packetwarp, made, file["control"], "--keep-routes")
        assert "LOWER_UP" not in link(made.middle)["flags"] and link(made.middle)["ifalias"].startswith("packetwarp: kept for a restart")
        assert seen(made.middle) == before
        with routing_in(made.middle, packetwarp, file, "net_af_packet") as again:
            assert "LOWER_UP" in link(made.middle)["flags"] and "ifalias" not in link(made.middle)
            assert seen(made.middle) == before
            for target in ("1.1.1.1", "2001:db8:1::1"):
                assert ping(made.left, target).received == 3
            changes.terminate()
            changes.wait()
            lines = (tmp_path / "changes").read_text().splitlines()
            assert not [line for line in lines if line.startswith("Deleted") and "dev left.kni" in line and "proto static" in line], lines
            assert again.interrupt().status == DONE
        wait_for(lambda: TWIN not in made.middle.interfaces(), "it to go with a run that does not keep it")


def test_a_run_that_is_killed_takes_an_interface_that_it_took_over_with_it(packetwarp, namespaces, tmp_path):
    file = file_with(str(tmp_path / "s"), "203.0.113.0/24")
    with router_between(packetwarp, namespaces, file) as made:
        drain_and_end(packetwarp, made, file["control"], "--keep-routes")
        with routing_in(made.middle, packetwarp, file, "net_af_packet") as again:
            again.process.kill()
            again.process.wait()
            wait_for(lambda: TWIN not in made.middle.interfaces(), "it to go with the process")


def test_a_run_of_other_settings_makes_it_anew(packetwarp, namespaces, tmp_path):
    file = file_with(str(tmp_path / "s"), "203.0.113.0/24")
    with router_between(packetwarp, namespaces, file) as made:
        before = seen(made.middle)
        drain_and_end(packetwarp, made, file["control"], "--keep-routes")
        other = copy.deepcopy(file)
        other["interfaces"][0]["kernel"]["announce"] = ["198.51.100.0/24"]
        with routing_in(made.middle, packetwarp, other, "net_af_packet") as again:
            after = seen(made.middle)
            assert after["index"] != before["index"] and after["addresses"] == before["addresses"]
            routes = "\n".join(after["routes"][0])
            assert "198.51.100.0/24" in routes and "203.0.113.0/24" not in routes, routes
            done = again.interrupt()
        assert [line for line in done.log if "an earlier run kept it for other settings; it is made anew" in line], done


def test_the_last_drain_decides(packetwarp, namespaces, tmp_path):
    file = file_with(str(tmp_path / "s"), "203.0.113.0/24")
    with router_between(packetwarp, namespaces, file) as made:
        done = packetwarp.run("drain", ["--within", "1h", "--keep-routes", "--control", file["control"]])
        assert done.status == DONE, done
        drain_and_end(packetwarp, made, file["control"])
        wait_for(lambda: TWIN not in made.middle.interfaces(), "it to go with the run")


def test_one_that_was_renamed_goes_and_a_warning_says_which_the_next_run_looks_for(packetwarp, namespaces, tmp_path):
    file = file_with(str(tmp_path / "s"), "203.0.113.0/24")
    with router_between(packetwarp, namespaces, file) as made:
        for words in ((TWIN, "down"), (TWIN, "name", "other"), ("other", "up")):
            made.middle.ip("link", "set", *words)
        made.routing.wait_for_log(f"kernel interface {TWIN}: it is called other now")
        assert packetwarp.run("drain", ["--within", "1ms", "--keep-routes", "--control", file["control"]]).status == DONE
        done = made.routing.finish()
        wait_for(lambda: "other" not in made.middle.interfaces(), "it to go with the run")
    said = f"kernel interface other goes with this run: it was renamed, and the next run looks for {TWIN}"
    assert done.status == DONE and sum(said in line for line in done.log) == 1, done


def test_one_that_was_deleted_is_told_once(packetwarp, namespaces, tmp_path):
    file = file_with(str(tmp_path / "s"))
    with router_between(packetwarp, namespaces, file) as made:
        made.middle.ip("link", "delete", TWIN)
        made.routing.wait_for_log(f"kernel interface {TWIN}: it was deleted")
        assert packetwarp.run("drain", ["--within", "1ms", "--keep-routes", "--control", file["control"]]).status == DONE
        done = made.routing.finish()
    assert done.status == DONE and sum("kernel interface" in line for line in done.log) == 1, done


def test_a_run_that_cannot_save_its_sessions_takes_them_with_it(packetwarp, namespaces, tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    file = file_with(str(tmp_path / "s"), "203.0.113.0/24")
    file["nat44"] = {"inside": "left", "outside": "right", "pool": ["203.0.113.1"], "state": str(folder / "sessions.bin")}
    with router_between(packetwarp, namespaces, file) as made:
        shutil.rmtree(folder)
        done = packetwarp.run("drain", ["--within", "1ms", "--keep-routes", "--control", file["control"]])
        assert done.status == DONE, done
        done = made.routing.finish()
        assert done.status == FAILED and str(folder) in done.errors[0], done
        wait_for(lambda: TWIN not in made.middle.interfaces(), "it to go with the run")

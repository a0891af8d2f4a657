# SPDX-License-Identifier: Apache-2.0
"""packetwarp run --watch: the file is read again when it is replaced, as Kubernetes replaces those of a ConfigMap."""
from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any

from harness import DONE, Program
from live import ROUTED, Live, wait_until

ROUTE = {"to": "172.16.0.0/24", "via": "198.51.100.2"}


def publish(packetwarp: Program, volume: pathlib.Path, version: int, file: dict[str, Any] | str) -> None:
    """A new folder with the file, and a link that leads there at once: what the kubelet does."""
    folder = volume / f"..{version}"
    folder.mkdir()
    if isinstance(file, str):
        (folder / "network.yaml").write_text(file)
    else:
        packetwarp.write_config(file, folder)
    (volume / "..data_tmp").symlink_to(folder.name)
    os.rename(volume / "..data_tmp", volume / "..data")


def test_a_config_map_that_changes_is_read_again(packetwarp):
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        volume, control = pathlib.Path(folder), pathlib.Path(folder) / "s"
        publish(packetwarp, volume, 1, ROUTED)
        config = volume / "network.yaml"
        config.symlink_to("..data/network.yaml")
        words = ["-l", "0", "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"]
        with packetwarp.running(words, ["-c", str(config), "--control", str(control), "--watch"], command="run") as running:
            made = Live(packetwarp, running.wait_until_forwarding(), config, control)
            before = made.json("show", "routes")["total"]
            publish(packetwarp, volume, 2, {**ROUTED, "routes": [*ROUTED["routes"], ROUTE]})
            wait_until(made, lambda: made.json("show", "routes")["total"] == before + 1, "the new route")
            publish(packetwarp, volume, 3, "routes: [")
            wait_until(made, lambda: "--watch: " in running.stderr() and "no YAML" in running.stderr(), "a line about the bad file")
            assert made.json("show", "routes")["total"] == before + 1, "the old one goes on"
            publish(packetwarp, volume, 4, ROUTED)
            wait_until(made, lambda: made.json("show", "routes")["total"] == before, "the route gone")
            done = running.interrupt()
    assert done.status == DONE
    refused = [line for line in done.errors if "no YAML" in line]
    assert len(refused) == 1 and f"{config}:1" in refused[0], done.errors


def test_without_the_option_nothing_is_read(packetwarp):
    with tempfile.TemporaryDirectory(prefix="pw") as folder:
        control = pathlib.Path(folder) / "s"
        config = packetwarp.write_config(ROUTED, pathlib.Path(folder))
        words = ["-l", "0", "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1"]
        with packetwarp.running(words, ["-c", str(config), "--control", str(control)], command="run") as running:
            made = Live(packetwarp, running.wait_until_forwarding(), config, control)
            before = made.json("show", "routes")["total"]
            packetwarp.write_config({**ROUTED, "routes": [*ROUTED["routes"], ROUTE]}, pathlib.Path(folder))
            running.wait_for_statistics(60)
            assert made.json("show", "routes")["total"] == before
            assert running.interrupt().status == DONE

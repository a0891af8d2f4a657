# SPDX-License-Identifier: Apache-2.0
"""The simulation of failures among replicas: each scheme moves the hosts that it has to by its definition."""
from __future__ import annotations

import numpy as np
import pytest
from cluster.hashing import SCHEMES, hashes_of
from cluster.simulate_failures import outage_of, simulate

REPLICAS, FAILED, HOSTS = 20, 7, 20_000


@pytest.fixture(scope="module", params=SCHEMES)
def seen(request):
    return request.param, SCHEMES[request.param](hashes_of(HOSTS, 1), REPLICAS, FAILED)


def test_hosts_are_spread_evenly_and_none_stays_at_the_failed_one(seen):
    name, episode = seen
    loads = np.bincount(episode.before, minlength=REPLICAS)
    assert len(loads) == REPLICAS and loads.min() > 0.75 * HOSTS / REPLICAS and loads.max() < 1.3 * HOSTS / REPLICAS, name
    assert not (episode.failed == FAILED).any()
    assert set(episode.failed) == set(range(REPLICAS)) - {FAILED}


def test_hosts_of_others_move_as_the_scheme_says(seen):
    name, episode = seen
    others = episode.before != FAILED
    share = float((episode.before != episode.failed)[others].mean())
    low, high = {"modulo": (0.9, 1.0), "hash threshold": (0.2, 0.6), "Maglev": (0.0005, 0.05)}.get(name, (0.0, 0.0))
    assert low <= share <= high, (name, share)


def test_hosts_come_back_except_with_resilient_groups(seen):
    name, episode = seen
    wanted = episode.failed if name == "resilient" else episode.before
    assert (episode.back == wanted).all()


def test_figures_are_in_the_hosts_of_a_replica():
    figures = simulate("modulo", 10, runs=2, hosts_each=500)
    assert 8.5 < figures["moved_by_failure"] < 9.5 and 7.5 < figures["of_them_hosts_of_others"] < 8.5


def test_the_outage_is_the_measured_one(tmp_path):
    (tmp_path / "a").write_text("hosts: 3\nall of them are served again after: 2.25 s\n")
    assert outage_of(tmp_path / "a") == 2.25
    (tmp_path / "b").write_text("hosts: 3\n")
    with pytest.raises(SystemExit, match="make scale-test writes it"):
        outage_of(tmp_path / "b")

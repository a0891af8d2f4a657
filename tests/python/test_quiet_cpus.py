# SPDX-License-Identifier: Apache-2.0
"""Which CPUs are taken for quiet, by looks that the test makes up, and that looking leaves no trace."""
from __future__ import annotations

import os

from quiet_cpus import quietest, speed_of


def test_those_that_are_quick_in_every_look_are_taken_in_their_order():
    looks = {1: [90, 90, 10], 2: [50, 50, 50], 3: [80, 81, 82], 4: [20, 20, 20], 5: [99, 98, 97]}
    seen = {cpu: iter(speeds) for cpu, speeds in looks.items()}
    assert quietest(3, looks, lambda cpu: next(seen[cpu])) == [2, 3, 5]


def test_there_may_be_fewer_than_asked_for():
    assert quietest(3, [7, 4], lambda cpu: cpu) == [4, 7]


def test_a_look_leaves_the_process_on_the_cpus_that_it_had():
    before = os.sched_getaffinity(0)
    assert speed_of(max(before)) > 0
    assert os.sched_getaffinity(0) == before

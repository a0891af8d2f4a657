# SPDX-License-Identifier: Apache-2.0
"""The log has a JSON line for each session made and ended: when, which protocol, which endpoints. With `log_one_in` of
some of the sessions, both lines or none."""
import datetime
import re

import pytest
from nat44_packets import HOST, OTHER, out
from scapy.layers.inet import ICMP, TCP, UDP

POOL = "203.0.113.1"
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def of(event, lines):
    return [(one["protocol"], one["inside"], one["outside"]) for one in lines if one["event"] == event]


@pytest.mark.parametrize("nat", [{"timeouts": {"udp": 1}}], indirect=True, scope="module")
def test_every_session(nat):
    """A packet of a session that is there makes no line; a port that was not kept is said."""
    for _ in range(2):
        nat.leaves(out(TCP(sport=4000)))
    nat.leaves(out(ICMP(id=4001)))
    _, port = nat.given(out(TCP(sport=4000), host=OTHER))
    nat.leaves(out(UDP(sport=4002, dport=53)))
    nat.wait_for_end_of(f"udp {HOST}:4002")
    started, *lines = nat.log_lines()
    assert (list(started), started["event"], started["restored"]) == (["time", "event", "restored"], "run_started", 0)
    assert of("made", lines) == [("tcp", f"{HOST}:4000", f"{POOL}:4000"), ("icmp", f"{HOST}:4001", f"{POOL}:4001"),
                                 ("tcp", f"{OTHER}:4000", f"{POOL}:{port}"), ("udp", f"{HOST}:4002", f"{POOL}:4002")]
    assert of("ended", lines) == [("udp", f"{HOST}:4002", f"{POOL}:4002")]
    assert all(set(one) == {"time", "event", "protocol", "inside", "outside"} for one in lines)
    assert all(RFC_3339.fullmatch(one["time"]) for one in lines), "date, time and zone: RFC 6888, REQ-4"
    times = [datetime.datetime.fromisoformat(one["time"].replace("Z", "+00:00")) for one in lines]
    age = datetime.datetime.now(datetime.timezone.utc) - times[-1]
    assert times == sorted(times) and abs(age) < datetime.timedelta(hours=1), times


@pytest.mark.parametrize("nat", [{"timeouts": {"udp": 1}, "log_one_in": 8}], indirect=True, scope="module")
def test_some_sessions(nat):
    sent = [out(UDP(sport=5000 + n, dport=53)) for n in range(128)]
    nat.all_leave(sent)
    nat.wait_for_log(lambda lines: of("made", lines) and sorted(of("made", lines)) == sorted(of("ended", lines)))
    made = of("made", nat.logged())
    assert 0 < len(made) < 128 / 2 and len(set(made)) == len(made)
    assert set(made) <= {("udp", f"{HOST}:{5000 + n}", f"{POOL}:{5000 + n}") for n in range(128)}

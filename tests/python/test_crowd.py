# SPDX-License-Identifier: Apache-2.0
"""The crowds of python/record_traffic/ends.py: servers answer from the address that was asked, and clients ask from many."""
from __future__ import annotations

import socket
import threading
import time

import pytest
from scapy.layers.dns import DNS

from record_traffic import ends


@pytest.fixture
def ports(tmp_path):
    """A network of servers on loopback: ports of its web and its names."""
    found = []
    for kind, at in ((socket.SOCK_STREAM, "::"), (socket.SOCK_DGRAM, "")):
        with socket.socket(socket.AF_INET6 if at else socket.AF_INET, kind) as one:
            one.bind((at, 0))
            found.append(str(one.getsockname()[1]))
    (tmp_path / "index.html").write_text("x" * 300)
    threading.Thread(target=ends.serve, args=(str(tmp_path), *found), daemon=True).start()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", int(found[0])), timeout=1).close()
            break
        except OSError:
            time.sleep(0.05)
    return found


def test_names_are_answered_from_the_address_that_was_asked(ports):
    question = DNS(id=77, qd=b"\4host\7example\0\0\1\0\1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(10)
        one.bind(("127.0.0.5", 0))
        one.sendto(bytes(question), ("127.0.0.9", int(ports[1])))
        answer, sender = one.recvfrom(2000)
    read = DNS(answer)
    assert sender == ("127.0.0.9", int(ports[1]))
    assert (read.id, read.qr, read.ancount) == (77, 1, 1) and read.an[0].rdata == "10.1.2.3"


@pytest.mark.parametrize(("target", "many"), (("127.0.0.9/32", "sources"), ("127.3.0.0/24", "targets")))
def test_a_crowd_has_many_addresses_on_one_side(monkeypatch, target, many):
    asked = []
    for name in ("ask_a_name", "read_a_page"):
        monkeypatch.setattr(ends, name, lambda *words, name=name: asked.append((name, *words)))
    ends.crowd(target, "80", "53", "1000", "0.5", "a seed")
    names, sources, targets, ports = (set(column) for column in list(zip(*asked))[:4])
    assert names == {"ask_a_name", "read_a_page"} and ports == {80, 53}
    few, more = (targets, sources) if many == "sources" else (sources, targets)
    assert len(few) == 1 and len(more) >= 20


def test_a_page_and_a_name_are_read(ports):
    begin = time.monotonic()
    ends.read_a_page("127.0.0.5", "127.0.0.9", int(ports[0]), 0.2)
    ends.ask_a_name("127.0.0.5", "127.0.0.9", int(ports[1]), 0.2)
    ends.read_a_page("127.0.0.5", "127.0.0.9", 1, 0.2)  # a port that is closed
    assert time.monotonic() - begin < 30

# SPDX-License-Identifier: Apache-2.0
"""`detect` in a router: a connection is one flow to it, whose directions come in by two ports, also if `nat44` translates it."""
from __future__ import annotations

import pytest
from harness import Program
from namespaces import wait_for
from nat44_packets import HOST, SERVER
from onnx_tree import question
from raw_network import LEFT, RIGHT, into, known_hosts, raw_router, wires_to_middle
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

POOL = "203.0.113.1"
MARKED = 8


@pytest.mark.parametrize("lcores", ("0", "0-1"))
@pytest.mark.parametrize("translated", (True, False), ids=("nat44", "nat44 off"))
def test_an_answer_is_of_the_flow_that_it_answers(packetwarp: Program, translated: bool, lcores: str) -> None:
    """The model calls packets of a flow anomalous that has packets of the other direction: a state of a few epochs ago. The
    directions come in by two ports."""
    (packetwarp.folder / "answered.onnx").write_bytes(question("flow_packets_back", 0, threshold="0.5"))
    sections = {"detect": {"models": [str(packetwarp.folder / "answered.onnx")], "action": "mark", "dscp": MARKED}}
    if translated:
        sections["nat44"] = {"inside": ["left"], "outside": ["right"], "pool": [POOL]}
    with wires_to_middle() as (wires, middle), raw_router(packetwarp, known_hosts(**sections), wires, middle, lcores=lcores) as router:
        source = POOL if translated else HOST
        answered, alone = 4000, 4001

        def sent(port: int) -> IP:
            [(_, frame)] = router.wires.cross([into(LEFT, IP(src=HOST, dst=SERVER, tos=0) / UDP(sport=port, dport=53) / b"asked")])
            assert Ether(frame)[IP].src == source
            return Ether(frame)[IP]
        assert sent(answered).tos == 0 and sent(alone).tos == 0
        answer = IP(src=SERVER, dst=source) / UDP(sport=53, dport=sent(answered).sport) / b"told"
        [(side, frame)] = router.wires.cross([into(RIGHT, answer)])
        assert side == LEFT and Ether(frame)[IP].dst == HOST
        wait_for(lambda: sent(answered).tos == MARKED << 2, "a packet that is known to be of an answered flow", seconds=30)
        assert sent(alone).tos == 0
        router.end()

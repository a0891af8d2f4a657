# SPDX-License-Identifier: Apache-2.0
"""Every way a variable can count and be written, a stream each."""
from trex.stl.api import *


def stream(number, *commands):
    packet = Ether(src="00:00:00:02:01:%02x" % number)/Dot1Q(vlan=7)/IP(src="16.0.0.1", dst="48.0.0.1")/UDP(sport=9)
    return STLStream(name="S%d" % number, mode=STLTXCont(pps=100),
                     packet=STLPktBuilder(pkt=packet/(40 * "."), vm=STLScVmRaw(list(commands))))


class Ranges(object):

    def get_streams(self, direction, tunables, **kwargs):
        return [
            stream(0, STLVmFlowVar("a", min_value=3, max_value=13, step=4, size=1), STLVmWrFlowVar("a", "IP.ttl"),
                   STLVmFixIpv4("IP")),
            stream(1, STLVmFlowVar("a", min_value=10, max_value=20, init_value=12, step=3, op="dec", size=2),
                   STLVmWrFlowVar("a", "UDP.sport", add_val=-5),
                   STLVmWrFlowVar("a", "UDP.dport", is_big=False, add_val=1000)),
            stream(2, STLVmFlowVar("a", min_value=2**40, max_value=2**40 + 2, size=8), STLVmWrFlowVar("a", 50),
                   STLVmFlowVar("b", min_value=0, max_value=2**64 - 1, init_value=2**64 - 3, size=8),
                   STLVmWrFlowVar("b", 58, is_big=False)),
            stream(3, STLVmFlowVar("a", value_list=[5, "1.2.3.4", 9], size=4), STLVmWrFlowVar("a", "IP.dst"),
                   STLVmFlowVar("b", value_list=[5, 6, 7, 8], step=3, op="dec", size=1),
                   STLVmWrFlowVar("b", "IP.id", offset_fixup=1), STLVmFixIpv4("IP")),
            stream(4, STLVmFlowVar("a", min_value=0, max_value=4095, step=999, size=2),
                   STLVmWrMaskFlowVar("a", "Dot1Q.vlan", pkt_cast_size=2, mask=0x0FFF, add_value=1),
                   STLVmWrMaskFlowVar("a", "Dot1Q.prio", pkt_cast_size=1, mask=0xE0, shift=5),
                   STLVmWrMaskFlowVar("a", "IP.src", pkt_cast_size=4, mask=0xFF00, shift=-3),
                   STLVmWrMaskFlowVar("a", 52, pkt_cast_size=2, mask=0x0FF0, shift=4, is_big=False), STLVmFixIpv4("IP")),
            stream(5, STLVmTupleGen("t", "10.0.0.1", "10.0.0.5", 1025, 1028, limit_flows=10),
                   STLVmWrFlowVar("t.ip", "IP.src"), STLVmWrFlowVar("t.port", "UDP.sport"),
                   STLVmFixChecksumHw("IP", "UDP", CTRexVmInsFixHwCs.L4_TYPE_UDP)),
            stream(6, STLVmTupleGen("t", "10.0.0.1", "10.0.0.3", 7, 8, limit_flows=0),
                   STLVmWrFlowVar("t.ip", "IP.src"), STLVmFixIpv4("IP"), STLVmWrFlowVar("t.port", "UDP.sport"),
                   STLVmWrFlowVar("t.ip", "IP.dst")),  # after the fix: the checksum is the earlier one
        ]


def register():
    return Ranges()

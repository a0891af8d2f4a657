# SPDX-License-Identifier: Apache-2.0
"""The needs of a tunnel, IPv6, a capture's packet and plain bytes."""
import os

from trex_stl_lib.api import *


class Layers(object):

    def stream(self, number, builder):
        return STLStream(packet=builder, mode=STLTXCont(bps_L1=10e6 * (number + 1)))

    def get_streams(self, direction=0, port_id=0, **kwargs):
        mac = "00:00:00:02:04:%02x"
        tunnel = (Ether(src=mac % 0)/IP(src="1.1.1.1", dst="2.2.2.2")/UDP(sport=4789, dport=4789)/VXLAN(vni=42)
                  / Ether()/IP(src="10.0.0.1", dst="10.0.0.2")/UDP(sport=5, dport=6)/"payload")
        six = Ether(src=mac % 1)/IPv6(src="2001:db8::1", dst="2001:db8::2")/TCP(sport=1, dport=2)/("y" * 21)
        raw = bytes(Ether(src=mac % 2, dst="00:00:00:01:00:00")/IP(src="9.9.9.9", dst="8.8.8.8")/UDP()/("z" * 33))
        return [
            self.stream(0, STLPktBuilder(pkt=tunnel, vm=[
                STLVmFlowVar("inner", min_value="10.0.0.10", max_value="10.0.0.20", size=4),
                STLVmWrFlowVar("inner", "IP:1.src"), STLVmFixIpv4("IP:1"),
                STLVmFlowVar("vni", min_value=1, max_value=3, size=4), STLVmWrMaskFlowVar(
                    "vni", "VXLAN.vni", pkt_cast_size=4, mask=0xFFFFFF00, shift=8),
                STLVmFlowVar("port", min_value=100, max_value=65535, step=1000, size=2),
                STLVmWrFlowVar("port", "UDP:1.sport"), STLVmFixChecksumHw("IP", "UDP", CTRexVmInsFixHwCs.L4_TYPE_UDP)])),
            self.stream(1, STLPktBuilder(pkt=six, vm=[
                STLVmFlowVar("low", min_value=1, max_value=2**32 - 1, step=2**31, size=4),
                STLVmWrFlowVar("low", "IPv6.dst", offset_fixup=12),
                STLVmFixChecksumHw("IPv6", "TCP", CTRexVmInsFixHwCs.L4_TYPE_TCP)])),
            self.stream(2, STLPktBuilder(pkt_buffer=raw, vm=[
                STLVmFlowVar("port", min_value=port_id, max_value=9, size=2), STLVmWrFlowVar("port", 34)])),
        ]


def register():
    return Layers()

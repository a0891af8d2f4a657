# SPDX-License-Identifier: Apache-2.0
"""Random values: free ones, ones that repeat, one out of a list; sizes that vary, with lengths and checksums after them."""
from trex_stl_lib.api import *


class Random(object):

    def stream(self, number, packet, commands, **mode):
        packet[Ether].src = "00:00:00:02:02:%02x" % number
        return STLStream(packet=STLPktBuilder(pkt=packet, vm=STLScVmRaw(commands)), mode=STLTXCont(pps=1000), random_seed=5)

    def get_streams(self, direction=0, **kwargs):
        plain = Ether()/IP(src="16.0.0.1", dst="48.0.0.1")/UDP(sport=1025, dport=12)/(30 * "x")
        large = Ether()/IP(src="16.0.0.1", dst="48.0.0.1")/UDP(sport=1025, dport=12)/(1000 * "x")
        syn = Ether()/IP(dst="48.0.0.1")/TCP(dport=80, flags="S")
        return [
            self.stream(0, plain.copy(), [STLVmFlowVar("r", min_value=1000, max_value=1015, size=2, op="random"),
                                          STLVmWrFlowVar("r", "UDP.sport")]),
            self.stream(1, plain.copy(), [STLVmFlowVarRepeatableRandom("r", size=4, limit=7, min_value="10.0.0.1",
                                                                        max_value="10.0.255.254"),
                                          STLVmWrFlowVar("r", "IP.src"), STLVmFixIpv4("IP")]),
            self.stream(2, large, [STLVmFlowVar("size", min_value=64, max_value=len(large), size=2, op="random"),
                                   STLVmTrimPktSize("size"), STLVmWrFlowVar("size", "IP.len", add_val=-14),
                                   STLVmWrFlowVar("size", "UDP.len", add_val=-34),
                                   STLVmFixChecksumHw("IP", "UDP", CTRexVmInsFixHwCs.L4_TYPE_UDP)]),
            self.stream(3, syn, [STLVmFlowVar("ip", min_value="16.0.0.0", max_value="18.0.0.254", size=4, op="random"),
                                 STLVmFlowVar("port", min_value=1025, max_value=65000, size=2, op="random"),
                                 STLVmWrFlowVar("ip", "IP.src"), STLVmWrFlowVar("port", "TCP.sport"),
                                 STLVmFixChecksumHw("IP", "TCP", CTRexVmInsFixHwCs.L4_TYPE_TCP)]),
        ]


def register():
    return Random()

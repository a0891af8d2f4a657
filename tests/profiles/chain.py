# SPDX-License-Identifier: Apache-2.0
"""Bursts that start each other: S0 and S1 in turn, S2 only twice, and a dummy that keeps a silence."""
from trex_stl_lib.api import *


class Chain(object):

    def create(self, number, mode, **stream):
        vm = STLVM()
        vm.var(name="n", min_value=0, max_value=65535, size=2, op="inc")
        vm.write(fv_name="n", pkt_offset="UDP.dport")
        packet = Ether(src="00:00:00:02:03:%02x" % number)/IP()/UDP(sport=1)/(20 * "x")
        return STLStream(name="S%d" % number, packet=STLPktBuilder(pkt=packet, vm=vm), mode=mode, **stream)

    def get_streams(self, direction=0, **kwargs):
        return [
            self.create(0, STLTXSingleBurst(pps=1000, total_pkts=3), isg=10.0, next="S1"),
            self.create(1, STLTXMultiBurst(pps=1000, pkts_per_burst=4, ibg=500.0, count=2), self_start=False, next="S2"),
            self.create(2, STLTXSingleBurst(pps=500, total_pkts=2), self_start=False, dummy_stream=True, next="S3"),
            self.create(3, STLTXSingleBurst(pps=2000, total_pkts=5), self_start=False, next="S0", action_count=3),
            self.create(4, STLTXSingleBurst(total_pkts=100, pps=10), enabled=False),
        ]


def register():
    return Chain()

# SPDX-License-Identifier: Apache-2.0
"""Three sizes beside each other, 28 to 16 to 4, each with its own addresses: an IMIX."""
from trex_stl_lib.api import *


class Imix(object):
    SIZES = ((60, 28, 0.0), (590, 16, 0.1), (1514, 4, 0.2))

    def create_stream(self, number, size, pps, isg, vm):
        base = Ether(src="00:00:00:02:00:%02x" % number)/IP(src="16.0.0.1", dst="48.0.0.1")/UDP(dport=12, sport=1025)
        return STLStream(isg=isg, packet=STLPktBuilder(pkt=base/('x' * (size - len(base))), vm=vm), mode=STLTXCont(pps=pps))

    def get_streams(self, direction=0, **kwargs):
        ends = [("16.0.0.1", "16.0.0.254"), ("48.0.0.1", "48.0.255.254")]
        source, destination = ends if direction == 0 else reversed(ends)
        vm = [STLVmFlowVar(name="src", min_value=source[0], max_value=source[1], size=4, op="inc"),
              STLVmFlowVar(name="dst", min_value=destination[0], max_value=destination[1], size=4, op="inc"),
              STLVmWrFlowVar(fv_name="src", pkt_offset="IP.src"),
              STLVmWrFlowVar(fv_name="dst", pkt_offset="IP.dst"),
              STLVmFixChecksumHw(l3_offset="IP", l4_offset="UDP", l4_type=CTRexVmInsFixHwCs.L4_TYPE_UDP)]
        return [self.create_stream(i, size, pps, isg, vm) for i, (size, pps, isg) in enumerate(self.SIZES)]


def register():
    return Imix()

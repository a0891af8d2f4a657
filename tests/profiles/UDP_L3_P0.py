# SPDX-License-Identifier: Apache-2.0
"""A single user with 5001 sessions, by UDP source port: the evaluation's traffic towards port 0."""
from trex_stl_lib.api import *


class OneUser(object):

    def create_stream(self):
        packet = Ether()/IP(src="1.1.1.2", dst="2.2.2.2")/UDP()/(22*'x')
        vm = STLScVmRaw([STLVmTupleGen(ip_min="1.1.1.2", ip_max="1.1.1.2", port_min=1002, port_max=6002, name="tuple"),
                         STLVmWrFlowVar(fv_name="tuple.ip", pkt_offset="IP.src"),
                         STLVmFixIpv4(offset="IP"),
                         STLVmWrFlowVar(fv_name="tuple.port", pkt_offset="UDP.sport")])
        return STLStream(packet=STLPktBuilder(pkt=packet, vm=vm), mode=STLTXCont(pps=3000))

    def get_streams(self, direction=0, **kwargs):
        return [self.create_stream()]


def register():
    return OneUser()

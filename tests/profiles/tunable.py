# SPDX-License-Identifier: Apache-2.0
"""Tunables as an argparse command line."""
import argparse

from trex_stl_lib.api import *


class Tunable(object):

    def get_streams(self, direction, tunables, **kwargs):
        parser = argparse.ArgumentParser()
        parser.add_argument("--fsize", type=int, default=64)
        parser.add_argument("--rate", type=float, default=1.0)
        arguments = parser.parse_args(tunables)
        base = Ether()/IP(src="16.0.0.%d" % (1 + direction))/UDP()
        return STLStream(packet=STLPktBuilder(pkt=base/("x" * (arguments.fsize - 4 - len(base)))),
                         mode=STLTXCont(percentage=arguments.rate))


def register():
    return Tunable()

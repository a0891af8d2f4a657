# SPDX-License-Identifier: Apache-2.0
"""Reads TRex stateless profiles, unmodified, into a traffic program that packetwarp generates.

    stand_in       makes `from trex_stl_lib.api import *` find api.py
    api            the names that a profile gets
    streams        STLStream, its modes, STLProfile
    instructions   the field engine: STLVm*, STLScVmRaw, STLVM
    packets        STLPktBuilder: bytes of a scapy packet, and where its fields lie in them
    program        streams -> a program of plain values, which is what the C++ side reads
    reader         a file and its tunables -> streams
"""

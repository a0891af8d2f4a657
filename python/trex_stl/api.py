# SPDX-License-Identifier: Apache-2.0
"""The names that `from trex_stl_lib.api import *` gives a profile: the STL classes, scapy's layers, and the modules that TRex's
own api also gives."""
import base64  # noqa: F401
import binascii  # noqa: F401
import copy  # noqa: F401
import inspect  # noqa: F401
import json  # noqa: F401
import os  # noqa: F401
import random  # noqa: F401
import socket  # noqa: F401
import string  # noqa: F401
import struct  # noqa: F401
import sys  # noqa: F401
import time  # noqa: F401
import traceback  # noqa: F401
from collections import OrderedDict, namedtuple  # noqa: F401

from scapy.all import *  # noqa: F401,F403

from .instructions import (CTRexVmInsFixHwCs, STLScVmRaw, STLVM, STLVmFixChecksumHw, STLVmFixIpv4,  # noqa: F401
                           STLVmFlowVar, STLVmFlowVarRepeatableRandom, STLVmFlowVarRepetableRandom, STLVmTrimPktSize,
                           STLVmTupleGen, STLVmWrFlowVar, STLVmWrMaskFlowVar)
from .packets import STLPktBuilder  # noqa: F401
from .problems import ProfileError as STLError  # noqa: F401
from .scapy_of_trex import fragment  # noqa: F401
from .streams import (STLFlowLatencyStats, STLFlowStats, STLProfile, STLStream, STLStreamDstMAC_ARP,  # noqa: F401
                      STLStreamDstMAC_CFG_FILE, STLStreamDstMAC_PKT, STLTXCont, STLTXMode, STLTXMultiBurst,
                      STLTXSingleBurst)

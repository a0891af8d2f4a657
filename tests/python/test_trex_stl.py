# SPDX-License-Identifier: Apache-2.0
"""TRex profiles are read as TRex reads them, and what is not supported is named in one line."""
from __future__ import annotations

import pathlib
import re
import sys
import textwrap

import pytest
from scapy.layers import inet
from scapy.layers.dns import DNS
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.utils import wrpcap
from trex_stl.problems import ProfileError
from trex_stl.reader import parse_tunables, read_profile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROFILES = ROOT / "tests" / "profiles"

STREAM = """
from trex_stl_lib.api import *
class P(object):
    def get_streams(self, direction=0, **kwargs):
        pkt = Ether()/IP(src="16.0.0.1", dst="48.0.0.1")/UDP(sport=1, dport=2)/(30*"x")
        {body}
def register():
    return P()
"""


@pytest.fixture
def read(tmp_path):
    """A profile whose get_streams has this body."""
    def do(body: str, **how):
        path = tmp_path / "profile.py"
        path.write_text(STREAM.format(body=textwrap.indent(textwrap.dedent(body), " " * 8).strip()))
        return read_profile(str(path), **how)
    return do


def with_vm(*commands: str) -> str:
    return f"return [STLStream(packet=STLPktBuilder(pkt=pkt, vm=[{', '.join(commands)}]), mode=STLTXCont(pps=5))]"


def test_the_evaluations_profiles_give_one_user_with_5001_sessions():
    for name, user in (("UDP_L3_P0.py", "1.1.1.2"), ("UDP_L3_P1.py", "2.2.2.2")):
        program = read_profile(str(PROFILES / name))
        [stream] = program["streams"]
        [variable] = stream["variables"]
        assert stream["rate"] == {"unit": "pps", "value": 3000.0}
        assert stream["mode"] == {"kind": "continuous"}
        assert (variable["ip_min"], variable["ip_max"]) == (int.from_bytes(bytes(map(int, user.split("."))), "big"),) * 2
        assert variable["port_max"] - variable["port_min"] + 1 == 5001
        assert [(step["do"], step["at"]) for step in stream["steps"]] == [("write", 26), ("fix_ipv4", 14), ("write", 34)]
        assert Ether(bytes.fromhex(stream["packet"]))[IP].src == user


def test_unset_addresses_are_trexs_and_nobody_is_asked_for_them(read):
    packet = Ether(bytes.fromhex(read("return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/UDP()))")
                                 ["streams"][0]["packet"]))
    assert (packet.dst, packet.src) == ("00:00:00:01:00:00", "00:00:00:02:00:00")
    assert (packet[IP].src, packet[IP].dst) == ("16.0.0.1", "48.0.0.1")
    assert len(packet) == 60


def packet_of(read, made: str) -> bytes:
    return bytes.fromhex(read(f"return STLStream(packet=STLPktBuilder(pkt={made}))")["streams"][0]["packet"])


def test_unset_ipv6_addresses_are_trexs(read):
    """Its IPv6 class has "::2" as source, to "::1"; a checksum is over them."""
    packet = Ether(packet_of(read, "Ether()/IPv6()/UDP(sport=1025, dport=12)/(20*'x')"))
    assert (packet[IPv6].src, packet[IPv6].dst, packet.src) == ("::2", "::1", "00:00:00:02:00:00")
    wanted = Ether(bytes(Ether(dst="00:00:00:01:00:00", src="00:00:00:02:00:00") / IPv6(src="::2", dst="::1")
                         / UDP(sport=1025, dport=12) / (20 * b"x")))
    assert bytes(packet) == bytes(wanted)


def test_an_unset_dns_message_asks_nothing(read):
    """scapy 2.4.3: the header alone, recursion desired; also where a profile fills up to a size."""
    packet = packet_of(read, "Ether()/IP(src='16.0.0.1',dst='48.0.0.1')/UDP(sport=1025)/DNS()")
    assert packet[42:54].hex() == "000001000000000000000000" and Ether(packet)[UDP].len == 20
    padded = packet_of(read, "(lambda base: base/(100-len(base))*'x')(Ether()/IP()/UDP(sport=1025)/DNS())"
                       .replace("base/(100-len(base))*'x'", "base/((100-len(base))*'x')"))
    assert len(padded) == 100 and padded[54:].startswith(b"xx")


@pytest.mark.parametrize(("size", "first"), ((20, 24), (24, 24), (1, 8), (16, 16), (1480, 1008)))
def test_fragments_are_rounded_up(read, size, first):
    """udp_1pkt_frag.py: a UDP datagram of 1008 bytes in pieces of 20 begins with 24 of them."""
    body = f"fragment(Ether()/IP()/UDP(dport=12,sport=1025)/(1000*'x'), fragsize={size})"
    data = packet_of(read, f"{body}[0]")
    ip = Ether(data)[IP]
    whole = packet_of(read, "Ether()/IP()/UDP(dport=12,sport=1025)/(1000*'x')")[34:]
    assert (ip.len, bool(ip.flags.MF), ip.frag, ip.proto) == (20 + first, first < len(whole), 0, 17)
    assert data[34:34 + first] == whole[:first]
    if first < len(whole):
        data = packet_of(read, f"{body}[-1]")
        ip = Ether(data)[IP]
        at = ip.frag * 8
        assert not ip.flags.MF and at % first == 0 and ip.len == 20 + len(whole) - at
        assert data[34:14 + ip.len] == whole[at:]


@pytest.mark.parametrize("used", ("binascii.unhexlify('00')", "base64.b64decode('AA==')", "json.loads('1')", "copy.copy(1)",
                                  "inspect.stack()", "OrderedDict()", "namedtuple('A', 'b')", "traceback.format_exc()"))
def test_what_trexs_api_gives_along_is_there(read, used):
    assert read(f"{used}\nreturn STLStream(packet=STLPktBuilder(pkt=pkt))")["streams"]


def test_scapy_is_what_it_was_afterwards(read):
    before = bytes(DNS())
    packet_of(read, "Ether()/IP()/UDP()/DNS()")
    assert bytes(DNS()) == before and len(before) > 12 and IPv6(dst="2001:db8::1").dst == "2001:db8::1"
    assert [len(bytes(one[IP].payload)) for one in inet.fragment(IP(src="1.1.1.1", dst="1.1.1.2") / (32 * b"x"), 20)][0] == 16


@pytest.mark.parametrize("line", ("from trex_stl_lib.trex_stl_hltapi import STLHltStream", "import trex.stl.trex_stl_hltapi",
                                  "from trex_stl_lib.api import STLHltStream", "from trex.astf.api import *"))
def test_other_packages_of_trex_are_refused_by_name(tmp_path, line):
    path = tmp_path / "hlt.py"
    path.write_text(f"# HLT\n{line}\ndef register():\n    return None\n")
    with pytest.raises(ProfileError) as refused:
        read_profile(str(path))
    said = str(refused.value)
    assert re.fullmatch(rf"{re.escape(str(path))}: line 2: trex\S* is not supported; .* STLStream", said), said


@pytest.mark.parametrize(("mode", "rate", "shape"), [
    ("STLTXCont()", {"unit": "pps", "value": 1.0}, {"kind": "continuous"}),
    ("STLTXCont(bps_L1=1000)", {"unit": "bps_l1", "value": 1000.0}, {"kind": "continuous"}),
    ("STLTXCont(bps_L2=5e9)", {"unit": "bps_l2", "value": 5e9}, {"kind": "continuous"}),
    ("STLTXCont(percentage=10)", {"unit": "percent", "value": 10.0}, {"kind": "continuous"}),
    ("STLTXSingleBurst(total_pkts=9, pps=2)", {"unit": "pps", "value": 2.0},
     {"kind": "bursts", "packets": 9, "bursts": 1, "gap_us": 0.0}),
    ("STLTXMultiBurst(pkts_per_burst=4, ibg=2.5, count=3, pps=8)", {"unit": "pps", "value": 8.0},
     {"kind": "bursts", "packets": 4, "bursts": 3, "gap_us": 2.5}),
])
def test_modes(read, mode, rate, shape):
    [stream] = read(f"return [STLStream(packet=STLPktBuilder(pkt=pkt), mode={mode})]")["streams"]
    assert (stream["rate"], stream["mode"]) == (rate, shape)


@pytest.mark.parametrize(("name", "offset"), [
    ("Ether.dst", 0), ("Ether.src", 6), ("Ether.type", 12), ("Dot1Q.vlan", 14), ("Dot1Q.type", 16), ("IP.tos", 19),
    ("IP.len", 20), ("IP.id", 22), ("IP.frag", 24), ("IP.ttl", 26), ("IP.proto", 27), ("IP.chksum", 28), ("IP.src", 30),
    ("IP.dst", 34), ("UDP.sport", 38), ("UDP.chksum", 44), ("IP:1.src", 58), ("IP:1.dst", 62), ("TCP.flags", 78),
    ("TCP.window", 80), ("Raw.load", 86), ("17", 17), ("Ethernet.src", 6), ("802|1Q.vlan", 14), ("802|1Q:0.type", 16),
])
def test_offsets_of_fields(read, name, offset):
    name = name if name.isdigit() else f"'{name}'"
    body = f"""
    pkt = Ether()/Dot1Q(vlan=3)/IP()/UDP()/IP()/TCP()/("x" * 30)
    return STLStream(packet=STLPktBuilder(pkt=pkt, vm=[STLVmFlowVar("v", size=1), STLVmWrFlowVar("v", {name})]))
    """
    assert read(body)["streams"][0]["steps"][0]["at"] == offset


def test_a_layer_has_scapys_name_or_that_of_its_class(read):
    body = """
    pkt = Ether()/Dot1Q(vlan=3)/Dot1Q(vlan=4)/IP()/UDP()/("x" * 30)
    vm = [STLVmFlowVar("v", size=2), STLVmWrFlowVar("v", "802|1Q:1.vlan"), STLVmWrFlowVar("v", "Dot1Q:1.vlan")]
    return STLStream(packet=STLPktBuilder(pkt=pkt, vm=vm))
    """
    assert [step["at"] for step in read(body)["streams"][0]["steps"]] == [18, 18]


def test_what_the_nic_would_fix_is_fixed_behind_everything_else(read):
    [stream] = read(with_vm("STLVmFixChecksumHw('IP', 'UDP', CTRexVmInsFixHwCs.L4_TYPE_UDP)",
                            "STLVmFlowVar('v', size=2)", "STLVmWrFlowVar('v', 'UDP.sport')"))["streams"]
    assert [step["do"] for step in stream["steps"]] == ["write", "fix_l4"]
    assert (stream["steps"][1]["l3_at"], stream["steps"][1]["at"], stream["steps"][1]["protocol"]) == (14, 34, "udp")


@pytest.mark.parametrize("l4_offset", ("0", "34", "'UDP'"))
def test_an_ip_headers_checksum_alone_needs_no_end_of_the_header(read, l4_offset):
    fix = f"STLVmFixChecksumHw(l3_offset='IP', l4_offset={l4_offset}, l4_type=CTRexVmInsFixHwCs.L4_TYPE_IP)"
    [stream] = read(with_vm(fix, "STLVmFlowVar('v')", "STLVmWrFlowVar('v', 'IP.src')"))["streams"]
    assert [(step["do"], step["at"]) for step in stream["steps"]] == [("write", 26), ("fix_ipv4", 14)]


def test_a_stream_without_a_packet_sends_an_ip_header(read):
    packet = bytes.fromhex(read("return STLStream()")["streams"][0]["packet"])
    assert packet[:12].hex() == "000000010000" "000000020000" and packet[12:14].hex() == "0800"
    assert (packet[16:18].hex(), packet[23], packet[34:]) == ("0014", 0, bytes(26))


def test_streams_may_be_named_by_numbers(read):
    streams = read("""
    made = [STLStream(name=n, next=after, mode=STLTXSingleBurst()) for n, after in ((1, 0), (0, '1'), ('1', 1))]
    return made + [STLStream(name='', self_start=False)]
    """)["streams"]
    assert [(one["name"], one["next"]) for one in streams] == [("1", 1), ("0", 2), ("1", 0), ("stream 3", None)]


def test_a_variable_starts_where_it_says_or_at_the_end_it_comes_from(read):
    variables = read(with_vm("STLVmFlowVar('a', min_value=3, max_value=9)", "STLVmFlowVar('b', 5, 3, 9, op='dec')",
                             "STLVmFlowVar('c', min_value='1.2.3.4', max_value='1.2.3.9', op='dec', step=2)"))["streams"]
    assert [one["init"] for one in variables[0]["variables"]] == [3, 5, 0x01020309]


def with_stlvm(*calls: str) -> str:
    """A stream whose field engine is made by the methods of STLVM."""
    return "\n".join(("vm = STLVM()", *(f"vm.{call}" for call in calls), "return STLStream(packet=STLPktBuilder(pkt=pkt, vm=vm))"))


def test_the_methods_of_stlvm_take_what_trexs_take_in_its_order(read):
    [stream] = read(with_stlvm("var('src', '16.0.0.1', '16.0.0.200', 4, 'dec', 3, init_value='16.0.0.7')",
                               "repeatable_random_var('r', 2, 9)", "write('src', 'IP.src', 1, -2, 'little')",
                               "write_mask('r', 'UDP.dport', 2, 0xff0, 4, 1, -3, 'little')"))["streams"]
    assert stream["variables"] == [
        {"name": "src", "op": "dec", "step": 3, "min": 0x10000001, "max": 0x100000c8, "init": 0x10000007},
        {"name": "r", "op": "random", "step": 1, "min": 0, "max": 65535, "init": 0, "limit": 9}]
    assert stream["steps"] == [
        {"do": "write", "variable": "src", "size": 4, "add": -2, "at": 27, "order": "little"},
        {"do": "write", "variable": "r", "size": 2, "add": -3, "mask": 0xff0, "shift": 4, "at": 37, "order": "little"}]


@pytest.mark.parametrize(("body", "limit"), [
    (with_stlvm("tuple_var('t', '16.0.0.1', '16.0.0.254', 1025, 65535)"), 0),
    (with_stlvm("tuple_var('t', '16.0.0.1', '16.0.0.254', 1025, 65535, 7)"), 7),
    (with_vm("STLVmTupleGen('t')"), 100_000),
])
def test_flows_have_a_limit_where_trexs_have_it(read, body, limit):
    """The method has none unless a profile gives it; the class has 100,000."""
    assert read(body)["streams"][0]["variables"][0]["limit"] == limit


@pytest.mark.parametrize(("variable", "low", "high", "first"), [
    ("'a', min_value=14, max_value=66", 60, 66, 60), ("'a', min_value=64, max_value=1500, op='dec'", 64, 72, 72),
    ("'a', min_value=14, max_value=1500, init_value=65", 60, 72, 65), ("'a', min_value=60, max_value=72", 60, 72, 60)])
def test_sizes_stay_between_a_frames_least_and_the_packets_own(read, variable, low, high, first):
    [stream] = read(with_vm(f"STLVmFlowVar({variable})", "STLVmTrimPktSize('a')", "STLVmWrFlowVar('a', 16)"))["streams"]
    assert [(one["min"], one["max"], one["init"]) for one in stream["variables"]] == [(low, high, first)]


def test_a_size_of_one_stream_leaves_another_streams_alone(read):
    streams = read("""
    vm = [STLVmFlowVar('a', min_value=14, max_value=99), STLVmTrimPktSize('a')]
    return [STLStream(packet=STLPktBuilder(pkt=pkt/(size*'x'), vm=vm)) for size in (0, 10)]
    """)["streams"]
    assert [(one["variables"][0]["min"], one["variables"][0]["max"]) for one in streams] == [(60, 72), (60, 82)]


def test_a_short_packet_with_sizes_is_padded_as_others_are(read):
    [stream] = read("""
    vm = [STLVmFlowVar('a', min_value=14, max_value=200), STLVmTrimPktSize('a')]
    return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/UDP(), vm=vm))
    """)["streams"]
    assert len(stream["packet"]) == 2 * 60 and (stream["variables"][0]["min"], stream["variables"][0]["max"]) == (60, 60)


def test_both_ways_of_tunables():
    program = read_profile(str(PROFILES / "tunable.py"), tunables="fsize=100,rate=5", port=1)["streams"][0]
    packet = Ether(bytes.fromhex(program["packet"]))
    assert (len(packet), packet[IP].src, program["rate"]["value"]) == (96, "16.0.0.2", 5.0)
    words = read_profile(str(PROFILES / "tunable.py"), tunables="--fsize 200")["streams"][0]
    assert len(bytes.fromhex(words["packet"])) == 196
    assert parse_tunables("a=1,b=0x10,c=1.5,d=x,e='7'")[0] == {"a": 1, "b": 16, "c": 1.5, "d": "x", "e": "7"}


def test_keyword_tunables_and_the_port_reach_get_streams(read, tmp_path):
    path = tmp_path / "old.py"
    path.write_text("from trex_stl_lib.api import *\nclass P:\n    def get_streams(self, size=64, direction=0, port_id=0):\n"
                    "        return [STLStream(isg=size + direction * 1000 + port_id * 10, packet=STLPktBuilder(pkt=Ether()))]\n"
                    "def register(): return P()\n")
    assert read_profile(str(path), port=3, tunables="size=7")["streams"][0]["isg_us"] == 1037
    with pytest.raises(ProfileError, match="no tunable 'nix'; it has size"):
        read_profile(str(path), tunables="nix=7")


def test_the_first_packet_of_a_capture_beside_the_profile(read, tmp_path):
    wrpcap(str(tmp_path / "one.pcap"), [Ether(src="02:00:00:00:00:07")/IP()/UDP()/("q" * 50), Ether()])
    [stream] = read("return [STLStream(packet=STLPktBuilder(pkt='one.pcap', path_relative_to_profile=True, "
                    "vm=[STLVmFlowVar('v', size=2), STLVmWrFlowVar('v', 'UDP.sport')]))]")["streams"]
    assert bytes.fromhex(stream["packet"])[6:12].hex() == "020000000007"
    assert stream["steps"][0]["at"] == 34


def test_chains_are_resolved_and_disabled_streams_are_gone():
    streams = read_profile(str(PROFILES / "chain.py"))["streams"]
    assert [(one["name"], one["next"], one["self_start"], one["action_count"]) for one in streams] == [
        ("S0", 1, True, 0), ("S1", 2, False, 0), ("S2", 3, False, 0), ("S3", 0, False, 3)]
    assert [one["is_dummy"] for one in streams] == [False, False, True, False]


def test_what_changes_no_packet_is_left_out_with_a_notice(read):
    program = read("return [STLStream(name='s', packet=STLPktBuilder(pkt=pkt), flow_stats=STLFlowLatencyStats(pg_id=3))]")
    assert program["notices"] == ["stream 's': STLFlowLatencyStats is left out: packets are counted by port"]


@pytest.mark.parametrize(("stats", "is_fixed"), [("STLFlowLatencyStats(pg_id=3)", True), ("STLFlowStats(pg_id=3)", False),
                                                 ("None", False)])
def test_the_rate_of_a_latency_stream_is_fixed(read, stats, is_fixed):
    [stream] = read(f"return [STLStream(packet=STLPktBuilder(pkt=pkt), flow_stats={stats})]")["streams"]
    assert stream["fixed_rate"] is is_fixed


@pytest.mark.parametrize(("body", "words"), [
    ("return STLClient()", "line 6: STLClient is not supported; there are STLError"),
    ("return nonsense", "line 6: NameError: name 'nonsense' is not defined"),
    ("return 1/0", "line 6: ZeroDivisionError"),
    ("return 7", "gives int; it has to give a list of STLStream"),
    ("return []", "no stream that is enabled"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), self_start=False)]", "no stream has self_start"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), mode=STLTXSingleBurst(), next='no')]", "there is no stream 'no'"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), next='x')]", "continuous stream has no end"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), start_paused=True)]", "start_paused=True is not supported"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), nix=1)]", "unexpected keyword argument 'nix'"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), mode=STLTXCont(pps=1, bps_L1=2))]", "pps and bps_L1 are both given"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), mode=STLTXCont(percentage=101))]", "up to 100"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), mode=STLTXCont(pps=float('inf')))]", "pps: inf is out of range"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), mode=STLTXCont(bps_L1=10**400))]", "more than 0, up to 1e+15"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), mode=STLTXCont(pps=float('nan')))]", "pps: nan is out of range"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), isg=float('inf'))]", "isg: inf is out of range; allowed are 0 to 1e+12"),
    ("return [STLStream(packet=STLPktBuilder(pkt=pkt), mode=STLTXMultiBurst(ibg=-1))]", "ibg: -1 is out of range"),
    ("return STLProfile.load_pcap('x.pcap')", "generate --replay FILE sends a capture"),
    ("return STLStream(packet=STLPktBuilder(pkt='no.pcap'))", "no.pcap cannot be read as a capture"),
    (with_vm("STLVmFlowVar('a', next_var='b')"), "next_var='b' is not supported"),
    (with_vm("STLVmFlowVar('a', op='up')"), "op 'up' is not one of inc, dec, random"),
    (with_vm("STLVmFlowVar('a', step=0)"), "step: 0 is out of range; allowed are 1 to 4294967295"),
    (with_vm("STLVmFlowVar('a', step=0, value_list=[1, 2])"), "step: 0 is out of range"),
    (with_stlvm("var('a', 0, 9, 2, 'random', 0)"), "step: 0 is out of range; allowed are 1 to 65535"),
    ("return STLStream(name=1.5)", "STLStream: name: 1.5 is of type float; allowed is str or int or None"),
    ("return [STLStream(name=n, mode=STLTXSingleBurst(), next=2) for n in (1, 3)]", "stream '1': next: there is no stream '2'"),
    ("return [STLStream(name=1), STLStream(name=1)]", "stream '1' is there twice"),
    (with_vm("STLVmFixChecksumHw('IP', 0, CTRexVmInsFixHwCs.L4_TYPE_UDP)"), "l4_offset 0 does not lie behind the header"),
    (with_vm("STLVmFixChecksumHw('IP', 20, CTRexVmInsFixHwCs.L4_TYPE_IP)"), "l4_offset 20 does not lie behind the header"),
    (with_vm("STLVmFlowVar('a', size=3)"), "size 3 is not one of 1, 2, 4, 8 bytes"),
    (with_vm("STLVmFlowVar('a', min_value=3, max_value=2)"), "min_value 3 is above max_value 2"),
    (with_vm("STLVmFlowVar('a', max_value=256, size=1)"), "max_value: 256 is out of range"),
    (with_vm("STLVmFlowVar('a', min_value='1.2.3')"), "neither a number nor an IPv4 address"),
    (with_vm("STLVmFlowVar('a')", "STLVmFlowVar('a')"), "'a' is defined twice"),
    (with_vm("STLVmWrFlowVar('a', 'IP.src')"), "'a' is used and nowhere defined"),
    (with_vm("STLVmTupleGen('t', flags=1)"), "flags=1 is not supported"),
    (with_vm("STLVmFlowVar('a')", "STLVmWrFlowVar('a', 'TCP.sport')"), "no layer TCP; it is Ether/IP/UDP/Raw"),
    (with_vm("STLVmFlowVar('a')", "STLVmWrFlowVar('a', 'IP.source')"), "IP has no field source; it has version"),
    (with_vm("STLVmFlowVar('a')", "STLVmWrFlowVar('a', 'IP:1.src')"), "has 1 of IP, counted from 0"),
    (with_vm("STLVmFlowVar('a')", "STLVmWrFlowVar('a', 70)"), "write at 70, 4 bytes, is outside"),
    (with_vm("STLVmFlowVar('a', min_value=73, max_value=200)", "STLVmTrimPktSize('a')"), "sizes 73 to 200; allowed are 60 to 72"),
    (with_vm("STLVmFlowVar('a', min_value=14, max_value=59)", "STLVmTrimPktSize('a')"), "sizes 14 to 59; allowed are 60 to 72"),
    (with_vm("STLVmFlowVar('a', value_list=[64, 59])", "STLVmTrimPktSize('a')"), "sizes 59 to 64; allowed are 60 to 72"),
    (with_vm("STLVmFlowVar('a', value_list=[64, 73])", "STLVmTrimPktSize('a')"), "sizes 64 to 73; allowed are 60 to 72"),
    (with_vm("STLVmTupleGen('t')", "STLVmTrimPktSize('t.port')"), "'t.port': a tuple is no packet size"),
    (with_stlvm("var('a')"), "missing 4 required positional arguments"),
    (with_stlvm("var('a', 0, 9, 2, 'inc')", "write('a', 34, byte_order='middle')"), "'middle' is not one of big, little"),
    (with_vm("'STLVmFixIcmp'"), "str is not supported; instructions are STLVmFlowVar"),
    (with_vm("STLVmFixChecksumHw('IP', 'UDP', 5)"), "l4_type 5 is not one of"),
])
def test_what_cannot_be_sent_is_one_line(read, body, words):
    with pytest.raises(ProfileError) as error:
        read(body)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_the_stand_ins_are_gone_behind_a_profile(read):
    read("return STLStream(packet=STLPktBuilder(pkt=pkt))")
    assert "trex_stl_lib" not in sys.modules
    assert Dot1Q is not None and UDP is not None

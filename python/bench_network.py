#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast packetwarp run routes, translates and applies flow rules: python/bench_network.py PROGRAM [--json FILE].

Both directions of many UDP flows, or of one, come as 64-byte frames by net_null ports, which drop sent frames and receive only
the replayed ones (--replay); with --ports pcap by net_pcap ports, which copy these frames out of mbufs of their own. Lcores share
one pair of ports, a queue each, or have pairs of their own (--lanes), with subnets of their own. Beside each result stands the
rate of `l2fwd -w none` on the same ports, the most that they allow, and the rate of dpdk-testpmd's io mode, if it is installed;
on net_null it forwards packets that the ports make, with empty content. VPP, if it is installed, routes and translates the same
number of flows once in a run, from its own packet generator. Exit status 1 if packetwarp failed. Needs only Python and the
program."""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import testpmd_peer
import vpp_peer
from network_bed import LAYOUTS, MOST_LCORES, Bed
from network_flows import MOST_FLOWS, MOST_LANES, PORTS_A_HOST
from quiet_cpus import quietest

def describe(case: dict, limit: float | None) -> str:
    dropped = ", ".join(f"{name} {count}" for name, count in case["dropped"].items()) or "none"
    share = "" if not limit else f"  {case['mpps'] / limit:5.2f} of none"
    return f"{case['function']:24} {case['executor']:10} burst {case['burst']:4}  {case['mpps']:8.1f} Mpps{share}   dropped {dropped}"


def peers_beside(bed: Bed, testpmd: str, burst: int, seconds: float) -> list[dict]:
    if testpmd == "none":
        return []
    try:
        mpps = bed.measure_testpmd(testpmd, burst, seconds)
    except (testpmd_peer.PeerError, OSError) as error:
        print(f"testpmd io         burst {burst:4}  FAILED: {error}", flush=True)
        return []
    print(f"testpmd io         burst {burst:4}  {mpps:8.1f} Mpps", flush=True)
    return [{"program": "dpdk-testpmd", "mode": "io", "burst": burst, "mpps": mpps}]


def vpp_beside(bed: Bed, vpp: str, functions: set[str], seconds: float) -> list[dict]:
    """Once, whatever the bursts: VPP makes its vectors as long as they come."""
    if vpp == "none":
        return []
    if not vpp:
        print("vpp                            is not installed (--vpp PATH): it is not run beside", flush=True)
        return []
    peers = []
    for mode in (mode for function, mode in vpp_peer.MODES.items() if function in functions):
        try:
            version, mpps = bed.measure_vpp(vpp, mode, seconds)
        except (vpp_peer.PeerError, OSError) as error:
            print(f"vpp {mode:25}  FAILED: {error}", flush=True)
            continue
        print(f"vpp {mode:25}  {mpps:8.1f} Mpps", flush=True)
        peers.append({"program": "vpp", "version": version, "mode": mode, "mpps": mpps})
    return peers


def lcores_of(text: str | None, count: int) -> list[int]:
    """The different ones that may forward, in a list such as 2,4,6; lcore 0 is the master's."""
    if text is None:
        return list(range(1, count + 1))
    if text == "quietest":
        return quietest(count, sorted(os.sched_getaffinity(0) - {0}))
    return sorted({int(word) for word in text.split(",") if word.isdecimal() and int(word) > 0})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--lcores", type=int, default=1, help="that forward (default 1)")
    parser.add_argument("--lcore-list", help="which ones, such as 2,4,6, or quietest: those that others use least just then (default: from 1 on)")
    parser.add_argument("--lanes", type=int, default=1, help="pairs of ports that lcores and flows are dealt to (default 1)")
    parser.add_argument("--flows", type=int, default=5001, help="a direction")
    parser.add_argument("--sessions", type=int, help="that nat44 has, over which the flows are spread (default: as many)")
    parser.add_argument("--ways", type=int, choices=(1, 2), default=2, help="1: only from inside (default 2)")
    parser.add_argument("--ports", choices=tuple(MOST_LCORES), default="null", help="that flows come from (default null)")
    parser.add_argument("--layout", choices=tuple(LAYOUTS), default="run-to-completion",
                        help="three-cores: an lcore that receives, one that runs the function and one that sends share a pipeline (default run-to-completion)")
    parser.add_argument("--ring-slots", type=int, help="bursts in flight in a pipeline (default: as packetwarp chooses)")
    parser.add_argument("--packets", type=int, help="a pipeline's part of the packet pool (default: as packetwarp chooses)")
    parser.add_argument("--functions", default="l2fwd:none,router:cpu,nat44:cpu,rules:cpu", help="function:executor, ...")
    parser.add_argument("--bursts", default="64")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--testpmd", default=shutil.which("dpdk-testpmd") or "none", metavar="PATH|none", help="to run beside (default: from PATH)")
    parser.add_argument("--vpp", default=shutil.which("vpp") or "", metavar="PATH|none", help="to run beside (default: from PATH)")
    parser.add_argument("--commit", default="")
    parser.add_argument("--json", type=pathlib.Path)
    chosen = parser.parse_args()
    if not 1 <= chosen.lcores <= MOST_LCORES[chosen.ports]:
        parser.error(f"--lcores: from 1 on, and with --ports {chosen.ports} {MOST_LCORES[chosen.ports]} at most")
    lcores = lcores_of(chosen.lcore_list, chosen.lcores)
    if len(lcores) != chosen.lcores:
        parser.error(f"--lcore-list: {chosen.lcores} different numbers (--lcores) from 1 on, or quietest where there are as many CPUs; "
                     "lcore 0 is the master's")
    if not 1 <= chosen.lanes <= MOST_LANES or max(chosen.lanes, chosen.lcores) % min(chosen.lanes, chosen.lcores):
        parser.error(f"--lanes: from 1 to {MOST_LANES}, each with as many lcores, or each lcore with as many lanes")
    if LAYOUTS[chosen.layout] > 1 and (chosen.lcores % LAYOUTS[chosen.layout] or chosen.lanes > 1 or "l2fwd:" in chosen.functions):
        parser.error(f"--layout {chosen.layout}: a multiple of {LAYOUTS[chosen.layout]} --lcores, one lane, and no l2fwd in --functions")
    if chosen.packets is not None and chosen.packets < 1:
        parser.error("--packets: from 1 on")
    sessions = chosen.sessions or chosen.flows
    if not chosen.lanes <= chosen.flows <= sessions <= MOST_FLOWS * chosen.lanes:
        parser.error(f"--flows, --sessions: from 1 on for each lane, no fewer sessions than flows, and {MOST_FLOWS} a lane at most")
    if "rules:" in chosen.functions and (sessions > PORTS_A_HOST or chosen.lanes > 1):
        parser.error(f"--flows, --lanes: there are rules for {PORTS_A_HOST} flows at most, on one lane")
    failed = False
    cases: list[dict] = []
    peers: list[dict] = []
    with tempfile.TemporaryDirectory() as folder:
        bed = Bed(chosen.program.resolve(), pathlib.Path(folder), lcores, chosen.flows, chosen.ways, sessions, chosen.ports,
                  chosen.ring_slots, chosen.lanes, chosen.packets, layout=chosen.layout)
        peers += vpp_beside(bed, chosen.vpp, {pair.rsplit(":", 1)[0] for pair in chosen.functions.split(",")}, chosen.seconds)
        for burst in map(int, chosen.bursts.split(",")):
            limit = None
            peers += peers_beside(bed, chosen.testpmd, burst, chosen.seconds)
            for function, executor in (pair.rsplit(":", 1) for pair in chosen.functions.split(",")):
                try:
                    result = bed.measure(function, executor, burst, chosen.seconds)
                except (RuntimeError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
                    print(f"{function:24} {executor:10} burst {burst:4}  FAILED: {error}", flush=True)
                    failed = True
                    continue
                case = {"function": function, "executor": executor, "burst": burst, "mpps": result["mpps"], "latency_us": result["latency_us"],
                        "dropped": result["packets"]["dropped"], "seconds": result["seconds"], "host": result["host"]}
                if "detect" in result:
                    case["anomalous"], case["copies"] = result["detect"]["models"][0]["anomalous"], result["copies"]
                    if "large" in result["detect"]:
                        case["large"] = {key: result["detect"]["large"][key] for key in ("judged", "followed", "limited")}
                    case["rx_mpps"] = result["measured"]["rx"] / result["seconds"] / 1e6
                if (function, executor) == ("l2fwd", "none"):
                    limit = case["mpps"]
                cases.append(case)
                print(describe(case, limit), flush=True)
    if chosen.json:
        host = cases[0]["host"] if cases else {}
        for case in cases:
            gpus = case.pop("host").get("gpus")
            host["gpus"] = gpus or host.get("gpus")
        chosen.json.write_text(json.dumps({"benchmark": "bench_network", "commit": chosen.commit, "command": " ".join(["bench_network.py", *(pathlib.Path(word).name if "/" in word else word for word in sys.argv[2:])]),
                                           "ports": chosen.ports, "ring_slots": chosen.ring_slots, "lcores": chosen.lcores, "lcore_list": lcores, "lanes": chosen.lanes, "layout": chosen.layout, "packets": chosen.packets, "flows": chosen.flows, "ways": chosen.ways, "sessions": sessions, "kernel": platform.release(), "host": host, "cases": cases, "peers": peers}, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The effect of a kni worker and of address flows on a kernel interface of packetwarp run: python/bench_kernel.py PROGRAM [--json
FILE].

Five cases, as in the DPVS documentation's on worker performance tuning: without a kni worker, with one, with one and an address
flow; and with forwarding workers that take 1 ms longer for each loop iteration. A network namespace is the host that pings and
talks TCP; packetwarp runs in another, on a veth (net_af_packet), beside the kernel interface whose programs answer. A veth runs
no flow rules, so the address flow is software's: an isolated receiver reads each packet's destination. Needs root, `ip` and
/dev/net/tun; ping and iperf3 if they are installed, else Python's own."""
from __future__ import annotations

import argparse
import contextlib
import ctypes
import dataclasses
import fcntl
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from namespaces import Namespace, Namespaces, exit_on_signals, need_root_and_tools, stop, wait_for

OWN, HOST = "192.168.88.88", "192.168.88.1"
MAC, MTU = "02:00:00:00:88:88", 1500  # not the kernel's own on the wire: it would take the packets there, past packetwarp
TWIN, WIRE, FAR = "lan.kni", "w0", "h0"
PORT = 5201
MASTER, FORWARDING, RECEIVING, KNI = range(4)


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    kni: bool
    flow: bool
    overloaded: bool
    reference: tuple[str, str, str]  # ping min/avg/max/mdev in ms, bandwidth, packets per second

    def file(self) -> dict[str, Any]:
        """The network's file."""
        port: dict[str, Any] = {"port": "lan", "rx_queues": [0, 1], "tx_queues": [0]}
        if self.flow:
            port["isolated_rx"] = {"lcore": RECEIVING, "ring": 16384}
        workers = [{"lcore": MASTER, "role": "master"}, {"lcore": FORWARDING, "role": "forwarding", "ports": [port]}]
        if self.kni:
            workers.append({"lcore": KNI, "role": "kni", "ports": [{"port": "lan", "tx_queues": [1]}]})
        plane: dict[str, Any] = {"workers": workers}
        if self.overloaded:
            plane["loop_delay"] = "1ms"
        return {"data_plane": plane,
                "interfaces": [{"name": "lan", "port": 0, "mac": MAC, "addresses": [f"{OWN}/24"], "kernel": {"name": TWIN}}]}


# The right column: DPVS, doc/Worker-Performance-Tuning.md, "KNI worker", performance tests. Another machine, NICs.
CASES = (
    Case("no kni worker, idle", False, False, False, ("0.468/3.196/6.893/1.547", "2.64 Gbits/sec", "243K")),
    Case("kni worker, no address flow, idle", True, False, False, ("0.050/2.102/5.288/0.565", "4.54 Gbits/sec", "413K")),
    Case("kni worker, address flow, idle", True, True, False, ("0.409/2.346/11.650/1.179", "4.57 Gbits/sec", "416K")),
    Case("kni worker, no address flow, overloaded", True, False, True, ("0.628/29.880/42.010/12.026", "341 Mbits/sec", "29K")),
    Case("kni worker, address flow, overloaded", True, True, True, ("0.544/2.139/3.554/0.406", "4.53 Gbits/sec", "410K")),
)


def lcores(cpus: list[int]) -> str:
    """A CPU for each lcore if they suffice, the first one left to the kernel; else all of them for each."""
    if len(cpus) >= 6:
        return ",".join(f"{lcore}@{cpus[1 + lcore]}" for lcore in range(4))
    everywhere = ",".join(map(str, cpus))
    return ",".join(f"{lcore}@({everywhere})" for lcore in range(4))


@contextlib.contextmanager
def running(program: pathlib.Path, case: Case, folder: pathlib.Path, host: Namespace, middle: Namespace) -> Iterator[pathlib.Path]:
    """packetwarp on the wire, until its kernel interface answers. Its result is in the file."""
    config, result, log = folder / "network.yaml", folder / "result.json", folder / "log"
    config.write_text(json.dumps(case.file()))  # JSON is YAML
    # Two queues, for a TX queue of the kni worker's own; they share the packets by connections.
    words = [str(program), "run", "--in-memory", "--no-pci", "--lcores", lcores(sorted(os.sched_getaffinity(0))),
             "--main-lcore", str(MASTER), f"--vdev=net_af_packet0,iface={WIRE},qpairs=2,framecnt=4096", "--",
             "-c", str(config), "--control", "none", "--json", str(result)]
    with log.open("w") as stderr:
        process = middle.popen(*words, stdout=subprocess.DEVNULL, stderr=stderr)
    try:
        def answers() -> bool:
            if process.poll() is not None:
                raise SystemExit(f"{case.name}: {log.read_text()}")
            return reached(host)
        wait_for(answers, f"{OWN} to answer", seconds=60, interval=0.2)
        yield result
    finally:
        if status := stop(process, signal.SIGINT, 30):
            print(f"{case.name}: packetwarp ended with {status}: {log.read_text()}", file=sys.stderr)


def reached(host: Namespace) -> bool:
    probe = "import socket, sys; s = socket.socket(); s.settimeout(1); sys.exit(0 if s.connect_ex((sys.argv[1], 9)) == 111 else 1)"
    return host.run(sys.executable, "-c", probe, OWN, check=False).returncode == 0


# --- what a machine may lack ------------------------------------------------------------------------------------------

def without_offloads(name: str) -> None:
    """ethtool -K NAME tx off sg off tso off gso off gro off, without ethtool (linux/ethtool.h)."""
    siocethtool, commands = 0x8946, {"tx": 0x17, "sg": 0x19, "tso": 0x1f, "gso": 0x24, "gro": 0x2c}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for command in commands.values():
            value = ctypes.create_string_buffer(struct.pack("=II", command, 0))
            request = struct.pack("16sP", name.encode(), ctypes.addressof(value))
            with contextlib.suppress(OSError):  # what is off already may be fixed so
                fcntl.ioctl(any_socket, siocethtool, request)


# --- ping -------------------------------------------------------------------------------------------------------------

def ping(host: Namespace, count: int, interval: float) -> dict[str, Any]:
    """Round trips in ms, and the number that came back."""
    if shutil.which("ping"):
        done = host.run("ping", "-n", "-q", "-c", str(count), "-i", str(interval), "-W", "2", OWN, check=False)
        received = re.search(r"(\d+) received", done.stdout)
        times = re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)/([\d.]+) ms", done.stdout)
        if not received or not times:
            raise SystemExit(f"ping: {done.stdout}{done.stderr}")
        least, mean, most, mdev = map(float, times.groups())
        return {"tool": "ping", "sent": count, "received": int(received[1]), "min": least, "avg": mean, "max": most, "mdev": mdev}
    done = host.run(sys.executable, __file__, "--as", "pinger", str(count), str(interval))
    return json.loads(done.stdout)


def pinger(count: int, interval: float) -> dict[str, Any]:
    """Echo requests over a raw socket, one after the other."""
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    raw.settimeout(2)
    times = []
    for number in range(count):
        body = struct.pack("!BBHHH", 8, 0, 0, os.getpid() & 0xffff, number) + bytes(56)
        total = sum(struct.unpack(f"!{len(body) // 2}H", body))
        total = (total & 0xffff) + (total >> 16)
        body = body[:2] + struct.pack("!H", ~(total + (total >> 16)) & 0xffff) + body[4:]
        began = time.perf_counter()
        raw.sendto(body, (OWN, 0))
        with contextlib.suppress(TimeoutError):
            while (got := raw.recv(2000))[20] != 0 or got[26:28] != body[6:8]:
                continue
            times.append(1e3 * (time.perf_counter() - began))
        time.sleep(interval)
    mean = statistics.fmean(times)
    return {"tool": "python", "sent": count, "received": len(times), "min": min(times), "avg": mean, "max": max(times),
            "mdev": (statistics.fmean(t * t for t in times) - mean * mean) ** 0.5}


# --- TCP --------------------------------------------------------------------------------------------------------------

def receiver() -> None:
    """Takes one connection's bytes, and returns their number and the time."""
    with socket.create_server((OWN, PORT)) as server:
        connection, _ = server.accept()
    total, began = 0, time.perf_counter()
    while got := connection.recv(1 << 20):
        total += len(got)
    print(json.dumps({"bytes": total, "seconds": time.perf_counter() - began}))


def sender(seconds: float) -> None:
    chunk, until = bytes(1 << 18), time.perf_counter() + seconds
    with socket.create_connection((OWN, PORT), timeout=20) as connection:
        while time.perf_counter() < until:
            connection.sendall(chunk)


def packets_into_kernel(middle: Namespace) -> int:
    [link] = json.loads(middle.ip("-j", "-s", "link", "show", "dev", TWIN).stdout)
    return link["stats64"]["rx"]["packets"]


def bandwidth(host: Namespace, middle: Namespace, seconds: float) -> dict[str, Any]:
    """The bandwidth of one TCP connection from the host to a program on the router; packets by the kernel's own counter."""
    by_iperf = shutil.which("iperf3") is not None
    command = ("iperf3", "--server", "--one-off", "--bind", OWN, "--json") if by_iperf else (
        sys.executable, __file__, "--as", "receiver")
    server = middle.popen(*command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        wait_for(lambda: listens(middle), "the server to listen")
        before = packets_into_kernel(middle)
        if by_iperf:
            said = json.loads(host.run("iperf3", "--client", OWN, "--time", str(seconds), "--json", timeout=seconds + 60).stdout)
            got = said["end"]["sum_received"]
        else:
            host.run(sys.executable, __file__, "--as", "sender", str(seconds), timeout=seconds + 60)
            got = json.loads(server.communicate(timeout=60)[0])
        packets = packets_into_kernel(middle) - before
        if got["bytes"] > packets * MTU:
            raise SystemExit(f"bench_kernel: {got['bytes']} bytes came in {packets} packets of at most {MTU}: not by the kernel interface")
        return {"tool": "iperf3" if by_iperf else "python", "bits_per_second": 8 * got["bytes"] / got["seconds"],
                "packets_per_second": packets / got["seconds"], "seconds": got["seconds"]}
    finally:
        stop(server)


def listens(middle: Namespace) -> bool:
    lines = middle.run("cat", "/proc/net/tcp").stdout.splitlines()[1:]
    return any(line.split()[1].endswith(f":{PORT:04X}") and line.split()[3] == "0A" for line in lines)


# --- cases ------------------------------------------------------------------------------------------------------------

def measure(program: pathlib.Path, case: Case, options: argparse.Namespace) -> dict[str, Any]:
    with Namespaces("pwbench") as namespaces, tempfile.TemporaryDirectory() as folder:
        host, middle = namespaces.add("host"), namespaces.add("router")
        for namespace in (host, middle):
            namespace.silence()
        namespaces.connect((host, FAR), (middle, WIRE))
        if shutil.which("ethtool") is None:
            for namespace, name in ((host, FAR), (middle, WIRE)):
                namespace.run(sys.executable, __file__, "--as", "wire", name)
        host.address(FAR, f"{HOST}/24")
        # The kernel has the near end of the wire too; there it answers for no address.
        middle.sysctl(f"net.ipv4.conf.{WIRE}.arp_ignore", 8)
        with running(program, case, pathlib.Path(folder), host, middle) as result:
            quiet = ping(host, options.pings, 0.02)
            runs = [bandwidth(host, middle, options.seconds) for _ in range(options.repeats)]
        report = json.loads(result.read_text())
    best = sorted(runs, key=lambda run: run["bits_per_second"])[len(runs) // 2]
    return {"case": case.name, "kni_worker": case.kni, "address_flow": case.flow, "overloaded": case.overloaded, "ping_ms": quiet,
            "tcp": best, "all_tcp": runs, "kernel": report["kernel"], "notices": report["notices"],
            "reference": dict(zip(("ping_ms", "bandwidth", "packets_per_second"), case.reference))}


def row(result: dict[str, Any]) -> list[str]:
    ping_ms, tcp = result["ping_ms"], result["tcp"]
    times = "/".join(f"{ping_ms[key]:.3f}" for key in ("min", "avg", "max", "mdev"))
    lost = ping_ms["sent"] - ping_ms["received"]
    bits = tcp["bits_per_second"]
    speed = f"{bits / 1e9:.2f} Gbits/sec" if bits >= 1e9 else f"{bits / 1e6:.0f} Mbits/sec"
    return [result["case"], times + (f" ({lost} lost)" if lost else ""), speed, f"{tcp['packets_per_second'] / 1e3:.0f}K",
            *result["reference"].values()]


def table(rows: list[list[str]]) -> str:
    widths = [max(len(line[column]) for line in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in rows)


HEAD = ["case", "ping min/avg/max/mdev, ms", "TCP", "packets/s", "DPVS: ping", "TCP", "packets/s"]


def share_kept(results: list[dict[str, Any]]) -> float | None:
    """The share of the idle bandwidth, with a kni worker and its address flow, that is left when forwarding workers are
    overloaded."""
    speed = {r["overloaded"]: r["tcp"]["bits_per_second"] for r in results if r["address_flow"]}
    return speed[True] / speed[False] if len(speed) == 2 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="the binary")
    parser.add_argument("--seconds", type=int, default=5, help="of each TCP connection (default: 5)")
    parser.add_argument("--repeats", type=int, default=3, help="connections of a case; the median counts (default: 3)")
    parser.add_argument("--pings", type=int, default=100, help="of each case (default: 100)")
    parser.add_argument("--cases", default="", help="only those with this in their name")
    parser.add_argument("--json", type=pathlib.Path, help="write the results there")
    options = parser.parse_args()
    if reason := need_root_and_tools("ip"):
        raise SystemExit(f"bench_kernel: {reason}")
    exit_on_signals()
    program, results = options.program.absolute(), []
    for case in (case for case in CASES if options.cases in case.name):
        results.append(measure(program, case, options))
        print("  ".join(row(results[-1])[:4]), file=sys.stderr, flush=True)
    if not results:
        raise SystemExit(f"bench_kernel: no case has '{options.cases}' in its name")
    print(table([HEAD, *map(row, results)]))
    kept = share_kept(results)
    if kept is not None:
        print(f"\nwith an address flow, overloaded forwarding workers leave {100 * kept:.0f} % of the idle bandwidth")
    print(f"{len(os.sched_getaffinity(0))} CPUs, Linux {platform.release()}; ping by {results[0]['ping_ms']['tool']}, TCP by "
          f"{results[0]['tcp']['tool']}, {options.seconds:g} s each, median of {options.repeats}")
    if options.json:
        options.json.write_text(json.dumps({"results": results, "kept": kept, "cpus": len(os.sched_getaffinity(0)),
                                            "kernel": platform.release()}, indent=2) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as"]:
        role, words = sys.argv[2], sys.argv[3:]
        if role == "pinger":
            print(json.dumps(pinger(int(words[0]), float(words[1]))))
        elif role == "receiver":
            receiver()
        elif role == "wire":
            without_offloads(words[0])
        else:
            sender(float(words[0]))
    else:
        main()

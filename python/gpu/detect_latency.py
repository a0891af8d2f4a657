#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The latency of packets that `detect` judges, and the rate of one lcore beside ONNX Runtime's on one:
python/gpu/detect_latency.py PROGRAM [--json FILE].

Latency: `packetwarp generate` sends 64-byte packets of many flows at a fixed rate over net_memif, by which two processes share
memory; `packetwarp run` routes and judges them, by a threshold that no score is above (calm), and by one that about half of the
scores of random weights are above (detect). Printed are run's own percentiles, from rx to ready to send, and the
generator's, from its stamp to its verifier, with both hops by memif; the router alone stands beside. --functions measures others, such
as inspect:5000+router, and then no model. The rate of one lcore: the cpu executor
on net_null ports, everything included, in turn with ONNX Runtime (if Python can import it), which has one thread and the rows of
a batch ready in memory. Exit status 1 if a run failed."""
from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import testpmd_peer
from network_bed import Bed
from network_flows import OWN_MACS, Lane

MODELS = ("36-64-32-1", "50-128-64-2", "100x6")
ONE_LCORE_FLOWS = 10000


class MemifBed(Bed):
    """The router's ports are the server's ends of two sockets."""

    def device(self, kind: str, side: int, lane: Lane) -> str:
        number = self.port(lane, side)
        return f"--vdev=net_memif{number},role=server,id={number},socket-abstract=no,socket={self.folder}/memif{number}"

    def replays(self, kind: str) -> list[str]:
        return []

    def generator(self, lcores: str, rate: str, seconds: float) -> list[str]:
        lane = self.lanes[0]
        ends = [f"--vdev=net_memif{number},role=client,id={number},socket-abstract=no,socket={self.folder}/memif{number}" for number in range(2)]
        stream = f"eth(dst={OWN_MACS[0]})/ipv4(src={lane.inside_host(0)},dst={lane.outside_host()})/udp(dport=53)"
        return [str(self.program), "generate", "-l", lcores, *testpmd_peer.memory_options(), "--no-pci", *ends, "--", "--stream", stream,
                "--pattern", f"udp.sport=1024..{1023 + self.flows}", "--rate", rate, "--duration", f"{seconds}s", "--burst", "16",
                "--check", "signature", "--tx-ports", "0", "--rx-ports", "1", "--stats-period", "0", "--json", "-"]

    def latency(self, function: str, executor: str, burst: int, rate: str, lcores: str, seconds: float) -> dict:
        config = self.network(function, executor, burst)
        command = [self.program, "run", *self.eal("routed"), "--", "-c", config, "--stats-period", "0", "--json", "-"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as router:
            assert router.stdout is not None and router.stderr is not None
            try:
                self.wait_for_sockets(router)
                sent = subprocess.run(self.generator(lcores, rate, seconds), capture_output=True, text=True, timeout=60 + seconds)
            finally:
                router.terminate()
            text, said = router.communicate(timeout=60)
        if router.returncode or sent.returncode not in (0, 1) or not sent.stdout.startswith("{"):
            raise RuntimeError((said if router.returncode else sent.stderr).strip().splitlines()[-1])
        routed, generated = json.loads(text), json.loads(sent.stdout)
        return {"function": function, "executor": executor, "burst": burst, "rate": rate, "rate_reached": generated["rate_reached"],
                "sent": generated["sent"]["packets"], "lost": generated["lost"], "router_us": routed["latency_us"],
                "generator_us": generated["latency_us"], "host": routed["host"]}

    def wait_for_sockets(self, router: subprocess.Popen) -> None:
        until = time.monotonic() + 60
        while not all((self.folder / f"memif{number}").exists() for number in range(2)):
            if router.poll() is not None or time.monotonic() > until:
                raise RuntimeError("packetwarp run made no sockets")
            time.sleep(0.1)
        time.sleep(2)  # the workers are started after the ports


def percentiles(latency: dict | None) -> str:
    return "none" if not latency else f"p50 {latency['p50']:6.1f} p99 {latency['p99']:6.1f} p99.9 {latency['p999']:7.1f} us"


def measure_latency(program: pathlib.Path, chosen: argparse.Namespace) -> list[dict]:
    cases = []
    of_models = ["router", *(f"{packets}:{model}+router" for packets in ("calm", "detect") for model in MODELS)]
    for function in chosen.functions.split(",") if chosen.functions else of_models:
        for executor in chosen.executors.split(","):
            with tempfile.TemporaryDirectory() as folder:
                bed = MemifBed(program, pathlib.Path(folder), [1], chosen.flows, 1, chosen.flows, "null")
                case = bed.latency(function, executor, 16, chosen.rate, chosen.generator_lcores, chosen.seconds)
            cases.append(case)
            print(f"{function:26} {executor:10} rate {case['rate']} x {case['rate_reached']:.3f}, lost {case['lost']}: router "
                  f"{percentiles(case['router_us'])}; generator {percentiles(case['generator_us'])}", flush=True)
    return cases


def onnx_runtime_mpps(model: pathlib.Path, features: int, batch: int, seconds: float,
                      clock: Callable[[], float] = time.perf_counter) -> float:
    """With one thread, on rows that are there. clock: time.process_time does not count the time that other programs have the core."""
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    name, kind = session.get_inputs()[0].name, numpy.int8 if "int8" in session.get_inputs()[0].type else numpy.float32
    rows = numpy.random.default_rng(1).integers(0, 100, (batch, features)).astype(kind)
    done, start = 0, clock()
    while (now := clock()) < start + seconds:
        for _ in range(50):
            session.run(None, {name: rows})
        done += 50 * batch
    return done / (now - start) / 1e6


def beside_onnx_runtime(program: pathlib.Path, chosen: argparse.Namespace) -> list[dict]:
    try:
        import onnxruntime
    except ImportError:
        print("ONNX Runtime cannot be imported: it is not run beside", flush=True)
        return []
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        bed = Bed(program, pathlib.Path(folder), [1], ONE_LCORE_FLOWS, 2, ONE_LCORE_FLOWS, "null")
        for model in MODELS:
            inputs = int(model.split("-")[0]) if "-" in model else len(bed.features())
            ours, theirs = [], {64: [], 1024: []}
            for _ in range(chosen.turns):
                ours.append(bed.measure(f"detect:{model}+router", "cpu", 64, 1)["mpps"])
                for batch, of in theirs.items():
                    of.append(onnx_runtime_mpps(bed.model(model), inputs, batch, 1))
            row = {"model": model, "cpu_mpps": ours, "onnx_runtime_mpps": theirs, "onnx_runtime": onnxruntime.__version__}
            rows.append(row)
            print(f"{model:12} cpu, one lcore {statistics.median(ours):6.2f} Mpps ({min(ours):.2f} to {max(ours):.2f}); ONNX Runtime " +
                  ", ".join(f"batch {batch} {statistics.median(of):6.2f} M/s ({min(of):.2f} to {max(of):.2f})" for batch, of in theirs.items()), flush=True)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--executors", default="cpu,persistent,graph,kernel")
    parser.add_argument("--functions", help="as python/bench_network.py's; without ONNX Runtime beside (default: the router, and detect with models)")
    parser.add_argument("--flows", type=int, default=10000)
    parser.add_argument("--rate", default="1mpps")
    parser.add_argument("--generator-lcores", default="3-5")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--turns", type=int, default=5, help="of packetwarp and ONNX Runtime")
    parser.add_argument("--commit", default="")
    parser.add_argument("--json", type=pathlib.Path)
    chosen = parser.parse_args()
    program = chosen.program.resolve()
    try:
        latencies = measure_latency(program, chosen)
        rates = [] if chosen.functions else beside_onnx_runtime(program, chosen)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        print(f"FAILED: {error}")
        return 1
    if chosen.json:
        chosen.json.write_text(json.dumps({"benchmark": "detect_latency", "commit": chosen.commit, "latency": latencies, "one_lcore": rates}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

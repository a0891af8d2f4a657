// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "telemetry/run_report.h"

namespace packetwarp::telemetry {

// A small run with every kind of event: 1,000 packets of 64-byte frames (60 without FCS), of which 800 were measured
// over half a millisecond.
inline run_report sample_report() {
  run_report r;
  r.command = "l2fwd";
  r.version = "0.1.0";
  r.executor = "cpu";
  r.placement = "host";
  r.burst = 32;
  r.ended_by = "packets";
  r.elapsed_seconds = 2.5;
  r.seconds = 0.0005;
  r.measured_rx = 810;
  r.measured_tx = {.packets = 800, .bytes = 800 * 60};
  r.packets = {.rx = 1'000, .tx = 980, .punted = 3, .in_flight = 5, .dropped = {{"tx_full", 0}, {"runt", 12}}};
  r.latency_us = {.p50 = 2.1, .p99 = 9.75, .p999 = 1'234};
  r.pipelines = {{.id = 0,
                  .rx_port = 0,
                  .rx_queue = 0,
                  .tx_port = 1,
                  .tx_queue = 0,
                  .rx = 1'000,
                  .tx = 980,
                  .punted = 3,
                  .dropped = {{"runt", 12}},
                  .bursts = 50,
                  .ring_full = 2,
                  .latency_us = r.latency_us},
                 {.id = 1, .rx_port = 1, .rx_queue = 0, .tx_port = 0, .tx_queue = 0}};
  r.workers = {{.lcore = 0, .role = "master"},
               {.lcore = 1,
                .role = "forwarding",
                .jobs = {"receive 0", "execute 0", "transmit 0"},
                .stages = {{.name = "receive 0", .calls = 10, .packets = 200, .cycles = 5'000},
                           {.name = "execute 0", .calls = 8, .packets = 200, .cycles = 6'000},
                           {.name = "transmit 0"}},
                .busy = 0.874,
                .cycles_per_packet = 61.25,
                .loops = 1'234'567,
                .big_loops = {.over_us = 100,
                              .count = 3,
                              .longest_us = 1'200,
                              .longest_at_seconds = 3.21,
                              .longest_job = "execute 0",
                              .by_job = {{"execute 0", 2}, {"receive 0", 1}}},
                .messages = 30,
                .message_timeouts = 2}};
  r.master_looks = {.over_us = 2'000, .count = 1, .longest_us = 2'500, .longest_at_seconds = 0.5};
  r.ports = {{.id = 0, .name = "net_null0", .driver = "net_null", .rx_packets = 1'000, .rx_bytes = 60'000},
             {.id = 1,
              .name = "0000:b5:00.0",
              .driver = "mlx5_pci",
              .tx_packets = 980,
              .tx_bytes = 58'800,
              .imissed = 1,
              .ierrors = 2,
              .oerrors = 3,
              .rx_nombuf = 4,
              .restarts = 5,
              .rx_queues = {{.queue = 0, .packets = 10, .missed = 0}, {.queue = 1, .packets = 20, .missed = 1}}}};
  r.host = {
      .cpu_model = "A Processor",
      .cpus = 2,
      .numa_nodes = 1,
      .memory_bytes = std::uint64_t{16} << 30,
      .hugepages = {{.size_bytes = 2 << 20, .total = 512, .free = 500}},
      .kernel = "6.1.0",
      .distribution = "A Distribution 12",
      .dpdk = "DPDK 22.11.7",
      .compiler = "gcc 12.2.0",
      .tsc_hz = 2.5e9,
      .gpus = {
          {.index = 0, .name = "GPU X", .pci_address = "0000:1b:00.0", .cuda_driver = "13.0", .cuda_runtime = "12.9"}}};
  r.failed_over = 1;
  r.checked = {.packets = 1'234, .wrong = 2};
  r.notices = {"the TSC is not invariant"};
  return r;
}

}  // namespace packetwarp::telemetry

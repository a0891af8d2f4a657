// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "executor/executor.h"
#include "executor/gpu/gpu_settings.h"
#include "function/function_facts.h"
#include "memory/placement.h"
#include "plan/worker_list.h"
#include "punt/punt_limits.h"
#include "twin/twin_config.h"

namespace packetwarp {

struct frame_list;

// How a pipeline's jobs are dealt out to forwarding workers.
enum class arrangement : std::uint8_t {
  run_to_completion,  // one worker receives, runs the function and sends: its mempool cache stays hot
  pair,               // l2fwd-nv's: one worker receives, another runs the function and sends
  pair_cpu,           // the same with the function on a worker of its own
  isolated_rx,        // DPVS's: one worker only receives, into a ring of chosen size; another does the rest
  listed              // DPVS's worker_defs: a list has each worker's lcore, role and queues
};
[[nodiscard]] std::string_view to_string(arrangement how);
// Whether packets are received on one worker and sent on another.
[[nodiscard]] constexpr bool is_paired(arrangement how) {
  return how == arrangement::pair || how == arrangement::pair_cpu;
}
[[nodiscard]] inline bool is_paired(arrangement how, std::span<listed_worker const> listed) {
  return is_paired(how) || std::any_of(listed.begin(), listed.end(),
                                       [](listed_worker const& one) { return one.execute_on || one.transmit_on; });
}

// With less time a GPU would fail while it works, and a sum of the time and a clock has room for the most.
inline constexpr std::chrono::nanoseconds least_gpu_timeout{std::chrono::milliseconds{1}};
inline constexpr std::chrono::nanoseconds most_gpu_timeout{std::chrono::hours{1}};

// The GPUs that work, and their settings. Executors without a GPU ignore all of it.
struct gpu_config {
  std::vector<int> indexes{0};                                       // -g: pipelines are dealt over them in turn
  std::chrono::nanoseconds timeout{std::chrono::milliseconds{100}};  // --gpu-timeout, and run's gpu_timeout
  launch_policy launches{launch_policy::ready_bursts};
  std::uint32_t blocks{0};           // of a persistent kernel; 0 lets the plan choose
  gpu_fault fault{gpu_fault::none};  // --inject-gpu-fault, and after how many bursts of a pipeline
  std::uint64_t fault_after{0};
  int fault_gpu{-1};  // CUDA's index of the GPU with the fault; -1: all
  bool trace{};       // -n
};

// The longest sleep between polls. Packets wait in their queue meanwhile: no queue can hold the packets of a longer
// sleep.
inline constexpr std::chrono::nanoseconds longest_poll_sleep{std::chrono::milliseconds{10}};

// The frames of a file that a port receives (--replay; port/replay/rx_replay.h).
struct replay_config {
  std::string port;                            // its name or number
  std::string file;                            // a capture
  std::shared_ptr<frame_list const> frames{};  // the capture's, once it has been read
};

inline constexpr std::uint32_t most_ring_slots = 4096;

// The settings of a data plane. Passive: nothing happens until a plan is made of it and applied.
struct data_plane_config {
  std::uint32_t burst{32};        // -b: packets
  std::uint32_t data_room{2048};  // -d: bytes of packet data in an mbuf
  std::uint16_t pipelines{0};     // -p: 0 for one per port
  executor_kind executor{executor_kind::cpu};
  function_facts const* function{compiled_function_facts().front()};  // the compiled function that packets go through
  placement where{placement::host};
  arrangement workers{arrangement::run_to_completion};
  std::vector<listed_worker> listed{};      // if `workers` is listed; a pipeline for each of their RX queues
  std::chrono::nanoseconds packet_time{0};  // -t: least time spent on a packet
  std::chrono::nanoseconds burst_timeout{std::chrono::microseconds{20}};  // a burst closes when this old
  std::chrono::nanoseconds tx_timeout{
      std::chrono::milliseconds{10}};  // a port that takes nothing for this long loses packets
  std::uint32_t isolated_ring{16384};  // packets between an isolated receiver and its pipeline
  std::uint32_t ring_slots{0};         // bursts in flight in a pipeline, a power of two; 0 lets the plan choose
  std::uint16_t rx_descriptors{1024};
  std::uint16_t tx_descriptors{1024};
  std::uint16_t mtu{0};                    // 0: the port's own
  std::vector<std::uint16_t> mtus{};       // of the interface on each of `ports`, or none; set on NICs
  std::uint32_t pool_cache{512};           // mbufs an lcore keeps to itself
  std::uint32_t pool_packets{0};           // of each packet pool; 0: the number that can be in use at once
  std::uint32_t extra_packets{0};          // mbufs for others in this process (an in-process generator)
  std::chrono::nanoseconds poll_sleep{0};  // of workers without work; 0: they poll all the time
  std::chrono::nanoseconds big_loop{std::chrono::microseconds{100}};          // loop iterations to record; 0: none
  std::chrono::nanoseconds big_loop_master{std::chrono::milliseconds{2}};     // the same for the master
  std::chrono::nanoseconds message_timeout{std::chrono::microseconds{2000}};  // that a worker has to answer the master
  // The port by which packets received on the first port of a pair leave, and the other way round. Empty: 0 with 1, 2
  // with 3, and an odd last port with itself.
  std::vector<std::pair<port_id, port_id>> port_map{};
  std::vector<port_id> ports{};            // the ports to forward between; empty: all
  std::vector<twin_config> twins{};        // beside ports
  std::vector<replay_config> replays{};    // on ports of their own each
  std::chrono::nanoseconds loop_delay{0};  // for tests: forwarding workers wait this long each iteration
  punt_limits punts{};                     // of packets that the executor leaves to the control plane
  std::optional<port_id> mirror_to{};      // the port by which copies leave that verdicts ask for; nothing: none do
  gpu_config gpu{};
};

// The end of a run, and the beginning of its counts. Zero means never or at once.
struct run_limits {
  std::uint64_t packets{0};  // -v: received after the warm-up
  std::uint64_t warmup{0};   // -z: received before measuring starts
  std::chrono::nanoseconds until_idle{0};
  std::chrono::nanoseconds duration{0};
  std::chrono::nanoseconds stats_period{0};  // between live lines; 0 for none
  std::chrono::nanoseconds drain_timeout{std::chrono::seconds{2}};
};

}  // namespace packetwarp

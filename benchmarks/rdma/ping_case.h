// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <vector>

#include "rdma/latency/ping.h"
#include "rdma/queue_pair.h"
#include "rdma/roce/frame.h"
#include "rdma/roce/reliability.h"

// The two ends of roce_latency_bench.
namespace packetwarp::rdma::roce {

inline constexpr std::uint32_t frame_mtu = 4096, first_number = 0x100, pair_ends = 2, pool_packets = 4095;
inline constexpr std::size_t burst = 32;
inline constexpr reliability how_reliable{.mtu = frame_mtu, .window = 64, .ask_every = 16, .timeout_ns = 1'000'000'000};
inline constexpr patience limit{5'000'000'000};

// The addresses of an end's frames; the other end's are the same ones the other way round.
[[nodiscard]] inline frame_path path_of(std::uint32_t end) {
  return {.source_mac = wire::mac_address::from_number(2 + 2 * end),
          .destination_mac = wire::mac_address::from_number(4 - 2 * end),
          .source = {0x0a00'0001 + end},
          .destination = {0x0a00'0002 - end}};
}

[[nodiscard]] inline std::uint64_t address_of(placed_memory const& memory) {
  return reinterpret_cast<std::uint64_t>(memory.data());
}

// The loop of an end, of which `local` and `remote` are all sources and all targets. An end writes to the other one's
// target, and awaits the last byte of its own.
[[nodiscard]] inline ping_loop loop_of(std::uint32_t end, queue_parts const& queue, memory_place local,
                                       memory_place remote, std::uint32_t bytes, std::uint32_t iterations) {
  auto const own = std::uint64_t{end} * bytes, others = std::uint64_t{1 - end} * bytes;
  return {.queue = {queue, local + own, remote + others},
          .told = remote.address + own + bytes - 1,
          .bytes = bytes,
          .iterations = iterations,
          .side = end == 0 ? ping_side::writes_first : ping_side::answers,
          .limit = limit};
}

// The times of round trips, in ns; none if a write failed. ping(end): that end's loop.
[[nodiscard]] std::vector<double> ping_both(auto&& ping) {
  auto answers = std::async(std::launch::async, [&] { return ping(1); });
  ping_times made = ping(0);
  ping_times const other = answers.get();
  if (made.status != work_status::done || other.status != work_status::done) return {};
  return made.between;
}

}  // namespace packetwarp::rdma::roce

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/model/model_rate.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <vector>

#include "executor/gpu/joint/model_rate.h"
#include "feature/feature_state.h"
#include "feature/foresee.h"
#include "feature/observe.h"
#include "function/group.h"
#include "model/evaluate.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t flows = 4096;
constexpr std::uint32_t frame_bytes = 60;  // with the FCS 64
// A millisecond at a few million packets per second.
constexpr std::uint32_t packets_per_epoch = 4096;

using frame = std::array<std::byte, 64>;

void put(frame& into, std::size_t at, std::uint32_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) into[at + i] = static_cast<std::byte>(value >> (8 * (bytes - 1 - i)));
}

// A TCP packet of a flow: 10.0.0.0/8, each second one on the way back.
[[nodiscard]] frame frame_of(std::uint32_t number) {
  constexpr std::size_t ip = 14;
  constexpr std::size_t tcp = ip + 20;
  frame made{};
  auto const is_back = number % 2 != 0;
  std::uint32_t const client = 0x0a00'0000U + number / 2;
  std::uint32_t const server = 0x0a80'0000U + number / 2 * 7 % flows;
  put(made, 12, 0x0800, 2);
  put(made, ip, 0x4500, 2);
  put(made, ip + 2, frame_bytes - ip, 2);
  put(made, ip + 8, 64, 1);
  put(made, ip + 9, 6, 1);
  put(made, ip + 12, is_back ? server : client, 4);
  put(made, ip + 16, is_back ? client : server, 4);
  put(made, tcp, is_back ? 443 : 40'000 + number % 20'000, 2);
  put(made, tcp + 2, is_back ? 40'000 + (number - 1) % 20'000 : 443, 2);
  put(made, tcp + 12, 0x5010, 2);  // 20 bytes, ACK
  put(made, tcp + 14, 29'200, 2);
  return made;
}

[[nodiscard]] std::vector<frame> all_frames() {
  std::vector<frame> made;
  for (std::uint32_t n = 0; n < flows; ++n) made.push_back(frame_of(n));
  return made;
}

// The time for which this thread has had a CPU, as a worker has one by itself.
[[nodiscard]] std::chrono::nanoseconds cpu_time() {
  timespec now{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

// Calls work(), which does `amount` things, for a while, and returns how many it did per second.
[[nodiscard]] double rate_of(double amount, auto const& work) {
  constexpr std::chrono::milliseconds longest{200};
  constexpr std::chrono::seconds longest_beside_others{2};
  work();  // warms the caches
  double done = 0;
  auto const end = std::chrono::steady_clock::now() + longest_beside_others;
  auto const begin = cpu_time();
  auto now = begin;
  for (; now - begin < longest && std::chrono::steady_clock::now() < end; now = cpu_time()) {
    work();
    done += amount;
  }
  return done / std::chrono::duration<double>(now - begin).count();
}

}  // namespace

double measure_rows(model::network_ref network) {
  constexpr std::size_t rows = 1024;
  std::vector<std::int8_t> inputs(rows * model::row_bytes);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = static_cast<std::int8_t>(i * 2654435761U >> 7);
  std::vector<std::int32_t> scores(rows * network.outputs());
  return rate_of(rows, [&] { model::evaluate(network, inputs.data(), rows, scores.data()); });
}

double measure_packets(model::network_ref network) {
  auto frames = all_frames();
  feature::feature_state const state{feature::state_sizes{}, hash_key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345}};
  std::uint64_t epoch = 1;
  std::array<feature::packet_outlook, joint_packets> seen{};
  alignas(64) std::array<std::int8_t, joint_packets * model::row_bytes> rows{};
  std::vector<std::int32_t> scores(joint_packets * network.outputs());
  return rate_of(packets_per_epoch, [&] {
    for (std::uint32_t begin = 0; begin < packets_per_epoch; begin += joint_packets) {
      for (unsigned n = 0; n < joint_packets; ++n) {
        auto& one = frames[(begin + n) % flows];
        feature::see_facts({.data = one.data(), .contiguous = frame_bytes, .length = frame_bytes}, seen[n]);
        feature::foresee(seen[n], state.ref());
      }
      for (auto& one : seen) feature::foresee_further(one, state.ref());
      for (unsigned n = 0; n < joint_packets; ++n) {
        feature::observe(seen[n], epoch, state.ref(), rows.data() + std::size_t{n} * model::row_bytes);
      }
      model::evaluate(network, rows.data(), joint_packets, scores.data());
    }
    ++epoch;
  });
}

double measure_packets_on_gpu(int gpu, model::integer_network const& network) {
  auto const frames = all_frames();
  return measure_packets_on_gpu(
      gpu, network.bytes(),
      {.bytes = std::as_bytes(std::span{frames}), .stride = sizeof(frame), .length = frame_bytes});
}

}  // namespace packetwarp

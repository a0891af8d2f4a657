// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "executor/make.h"
#include "function/chain.h"
#include "gpu/gpu.h"
#include "joint/header_score.h"
#include "joint/header_score_apart.h"
#include "joint/long_tables.h"
#include "joint/payload_sum.h"
#include "memory/table_memory.h"
#include "parity/tables.h"

// The expected work of the examples of joint stages, in another form, for the parity suite.
namespace packetwarp::test {

using judged_routes = chain<payload_sum, header_score, router>;
// A stage works by kernels of its own, so the other stage's work is a kernel too.
using routes_judged_apart = chain<payload_sum, header_score_apart, router>;

inline constexpr std::uint16_t least_sum = 0x3000;
inline constexpr std::uint8_t dropped_class = 2;
inline constexpr egress_index joint_egress{5};

// A packet that a port has split lies in one piece for the stage that routes it.
template <class Process>
[[nodiscard]] verdict process_whole(oracle_packet packet, Process const& process) {
  auto const length = static_cast<std::uint32_t>(packet.first.size() + packet.second.size());
  if (packet.first.size() != split_header_bytes) {
    return process(packet_view{packet.first.data(), static_cast<std::uint32_t>(packet.first.size()), length});
  }
  std::vector<std::byte> whole(packet.first.begin(), packet.first.end());
  whole.insert(whole.end(), packet.second.begin(), packet.second.end());
  auto const said = process(packet_view{whole.data(), length, length});
  std::copy_n(whole.begin(), packet.first.size(), packet.first.begin());
  std::copy(whole.begin() + split_header_bytes, whole.end(), packet.second.begin());
  return said;
}

// Not symmetric, and with every sign: a transposed matrix or an unsigned byte gives other classes.
[[nodiscard]] constexpr auto joint_weights() {
  std::array<std::int8_t, header_score::classes * header_score::inputs> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<std::int8_t>(static_cast<int>((i * 73 + i / 32 * 41 + 11) % 256) - 128);
  }
  return all;
}

[[nodiscard]] inline std::uint16_t oracle_sum(oracle_packet packet) {
  auto const payload = packet.first.size() > 60    ? packet.first.subspan(60)
                       : packet.first.size() == 60 ? packet.second
                                                   : std::span<std::byte>{};
  // RFC 1071, literally: words added with the carry brought around.
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < payload.size(); i += 2) {
    auto const high = std::to_integer<std::uint32_t>(payload[i]) << 8;
    auto const low = i + 1 < payload.size() ? std::to_integer<std::uint32_t>(payload[i + 1]) : 0;
    sum += high | low;
    sum = (sum & 0xffff) + (sum >> 16);
  }
  // All ones and all zeroes are the same number.
  return static_cast<std::uint16_t>(sum == 0xffff ? 0 : sum);
}

[[nodiscard]] inline std::uint8_t oracle_class(oracle_packet packet) {
  static constexpr auto weights = joint_weights();
  std::array<long, header_score::classes> scores{};
  for (std::size_t c = 0; c < scores.size(); ++c) {
    for (std::size_t i = 0; i < header_score::inputs && 14 + i < packet.first.size(); ++i) {
      auto const input = std::to_integer<int>(packet.first[14 + i]);
      scores[c] += (input < 128 ? input : input - 256) * long{weights[c * header_score::inputs + i]};
    }
  }
  return static_cast<std::uint8_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

// The weights in the memory of the CPU and of the GPU: made once per process and left to it.
[[nodiscard]] inline table_refs<header_score> score_tables(table_place copy) {
  static constexpr auto on_host = joint_weights();
  header_score::ref const here{on_host.data(), dropped_class, joint_egress};
  if (copy.gpu == table_place::host) return {here, here};
  static auto const* const on_gpu = [&] {
    auto* const memory = new device_memory{copy.gpu, on_host.size()};
    memory->write(0, std::as_bytes(std::span{on_host}));
    return memory;
  }();
  return {here, {reinterpret_cast<std::int8_t const*>(on_gpu->data()), dropped_class, joint_egress}};
}

template <>
struct oracle<payload_sum> {
  static constexpr payload_sum::ref tables{least_sum, joint_egress};
  static verdict process(oracle_packet packet) {
    if (packet.first.size() < 14) return verdict::drop(function_drop(0));
    auto const sum = oracle_sum(packet);
    if (sum < least_sum) return verdict::drop(function_drop(1));
    packet.first[4] = static_cast<std::byte>(sum / 256);
    packet.first[5] = static_cast<std::byte>(sum % 256);
    return verdict::forward(joint_egress);
  }
};

template <>
struct oracle<header_score> {
  static table_refs<header_score> tables_in(table_place place) { return score_tables(place); }
  static verdict process(oracle_packet packet) {
    if (packet.first.size() < 14) return verdict::drop(function_drop(0));
    auto const found = oracle_class(packet);
    if (found == dropped_class) return verdict::drop(function_drop(1));
    packet.first[5] = static_cast<std::byte>(found);
    return verdict::forward(joint_egress);
  }
};

// A chain's drop names: the router's first, then each stage's.
template <>
struct oracle<judged_routes> {
  static table_refs<judged_routes> tables_in(table_place place) {
    constexpr payload_sum::ref sums{least_sum, joint_egress};
    auto const scores = score_tables(place);
    auto const routes = suite_tables<router>::in(place, company::in_chain);
    return {{{sums}, {scores.cpu}, {routes.cpu}}, {{sums}, {scores.gpu}, {routes.gpu}}};
  }
  static verdict process(oracle_packet packet) {
    constexpr auto of_router = static_cast<std::uint16_t>(router::drop_names.size());
    if (oracle_sum(packet) < least_sum) return verdict::drop(function_drop(of_router + 1));
    if (oracle_class(packet) == dropped_class) return verdict::drop(function_drop(of_router + 3));
    return process_whole(packet, [](packet_view view) {
      return router::process(view, suite_tables<router>::in({}, company::in_chain).cpu);
    });
  }
};

template <>
struct oracle<header_score_apart> : oracle<header_score> {
  static table_refs<header_score_apart> tables_in(table_place place) {
    auto const same = score_tables(place);
    return {same.cpu, same.gpu};
  }
};
template <>
struct oracle<routes_judged_apart> : oracle<judged_routes> {
  static table_refs<routes_judged_apart> tables_in(table_place place) {
    auto const same = oracle<judged_routes>::tables_in(place);
    return {{{same.cpu.of<payload_sum>()}, {same.cpu.of<header_score>()}, {same.cpu.of<router>()}},
            {{same.gpu.of<payload_sum>()}, {same.gpu.of<header_score>()}, {same.gpu.of<router>()}}};
  }
};

template <>
struct oracle<long_tables> {
  static constexpr long_tables::ref tables = [] {
    long_tables::ref made{};
    for (unsigned i = 0; i < made.values.size(); ++i) made.values[i] = static_cast<std::uint8_t>(i * 7 + 3);
    made.egress = joint_egress;
    return made;
  }();
  static verdict process(oracle_packet packet) {
    if (packet.first.size() < 14) return verdict::drop(function_drop(0));
    packet.first[0] = static_cast<std::byte>((std::to_integer<unsigned>(packet.first[1]) * 7 + 3) % 256);
    return verdict::forward(joint_egress);
  }
};

inline constexpr std::array joint_chains{test_of<judged_routes>()};
inline constexpr std::array joint_functions{test_of<payload_sum>(), test_of<header_score>(), test_of<long_tables>()};
// The functions with kernels of their own, which no persistent kernel runs.
inline constexpr std::array functions_apart{test_of<header_score_apart>()};
inline constexpr std::array chains_apart{test_of<routes_judged_apart>()};

}  // namespace packetwarp::test

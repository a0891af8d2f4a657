// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "executor/make.h"
#include "function/forward/forward.h"
#include "function/forward/mac_swap_oracle.h"
#include "function/router/router.h"
#include "function/swap_payload/swap_payload.h"
#include "memory/placement.h"
#include "parity/chain_oracle.h"
#include "parity/nat44_oracle.h"
#include "parity/packet_bed.h"
#include "parity/router_oracle.h"
#include "parity/rules_oracle.h"

// The tables of the parity suite. A new function is an oracle and a line of `tested_functions`, a new executor or
// placement a line of its table.
// placement a line of its table.
namespace packetwarp::test {

// For each function: the tables that it runs with, and its expected work on a packet, in another form.
template <packet_function F>
struct oracle;

template <>
struct oracle<forward> {
  static constexpr forward::ref tables{egress_index{5}};
  static verdict process(oracle_packet packet) {
    if (packet.first.size() < shortest_frame) return verdict::drop(function_drop(forward::runt));
    swap_macs(packet.first.data(), packet.first.size());
    return verdict::forward(egress_index{5});
  }
};

template <>
struct oracle<swap_payload> {
  static constexpr swap_payload::ref tables{egress_index{5}};
  // The payload begins in the first segment, or is the second.
  static verdict process(oracle_packet packet) {
    auto const said = oracle<forward>::process(packet);
    if (said.what() != verdict::action::forward || packet.first.size() < 60) return said;
    auto const payload = packet.first.size() > 60 ? packet.first.subspan(60) : packet.second;
    if (payload.size() >= 12) std::rotate(payload.begin(), payload.begin() + 6, payload.begin() + 12);
    return said;
  }
};

// Other tests judge the work of these functions (tests/function, tests/flow); this suite checks that every executor
// agrees with the CPU.
template <packet_function F, table_refs<F> (*Tables)(table_place)>
struct cpu_oracle {
  static table_refs<F> tables_in(table_place place) { return Tables(place); }
  static verdict process(oracle_packet packet) {
    auto const contiguous = static_cast<std::uint32_t>(packet.first.size());
    auto const length = static_cast<std::uint32_t>(packet.first.size() + packet.second.size());
    return F::process({packet.first.data(), contiguous, length}, Tables({}).cpu);
  }
};
template <>
struct oracle<router> : cpu_oracle<router, router_tables> {};
template <>
struct oracle<routed_nat44> : cpu_oracle<routed_nat44, nat44_tables> {};
template <>
struct oracle<rules> : cpu_oracle<rules, rules_tables> {};
template <>
struct oracle<routed_rules> : cpu_oracle<routed_rules, routed_rules_tables> {};
template <>
struct oracle<routed_rules_and_nat44> : cpu_oracle<routed_rules_and_nat44, routed_rules_and_nat44_tables> {};

// The same content in the memory of the CPU and of the executor.
template <packet_function F>
[[nodiscard]] table_refs<F> tables_for(executor_kind kind, gpu_settings const& gpu) {
  if constexpr (requires { oracle<F>::tables; }) {
    return {oracle<F>::tables, oracle<F>::tables};
  } else {
    return oracle<F>::tables_in({.gpu = needs_gpu(kind) ? gpu.gpu.index : table_place::host});
  }
}

struct tested_function {
  std::string_view name;
  oracle_function wanted;
  std::unique_ptr<executor> (*make)(executor_kind, burst_ring&, std::chrono::nanoseconds packet_time,
                                    gpu_settings const&);
};

template <packet_function F>
[[nodiscard]] constexpr tested_function test_of() {
  return {F::name, oracle<F>::process,
          [](executor_kind kind, burst_ring& ring, std::chrono::nanoseconds packet_time, gpu_settings const& gpu) {
            return make_executor<F>(kind, ring, tables_for<F>(kind, gpu), egress_index{0}, packet_time, gpu);
          }};
}

inline constexpr std::array tested_functions{test_of<forward>(), test_of<swap_payload>()};
inline constexpr std::array tested_functions_with_tables{test_of<router>(), test_of<routed_nat44>()};
// The functions that push tags: staged packets have no room for these at their front.
inline constexpr std::array tested_functions_that_push{test_of<rules>(), test_of<routed_rules>(),
                                                       test_of<routed_rules_and_nat44>()};

struct tested_executor {
  std::string_view name;
  executor_kind kind;
  launch_policy launches{launch_policy::ready_bursts};
  std::uint32_t blocks{2};
};

inline constexpr tested_executor on_cpu{.name = "cpu", .kind = executor_kind::cpu};
// The executors that need a GPU.
inline constexpr std::array tested_executors{
    tested_executor{.name = "kernel", .kind = executor_kind::kernel},
    tested_executor{.name = "kernel_per_burst", .kind = executor_kind::kernel, .launches = launch_policy::per_burst},
    tested_executor{.name = "persistent_1_block", .kind = executor_kind::persistent, .blocks = 1},
    tested_executor{.name = "persistent_2_blocks", .kind = executor_kind::persistent, .blocks = 2},
    tested_executor{.name = "persistent_4_blocks", .kind = executor_kind::persistent, .blocks = 4},
    tested_executor{.name = "graph", .kind = executor_kind::graph},
};

// The placements; those other than the host's are staged, because the corpus lies where the test can see it.
inline constexpr std::array tested_placements{placement::host, placement::device, placement::split};
// A split packet's payload is not staged where its function does not reach it.
inline constexpr std::array tested_placements_with_headroom{placement::host, placement::split};

// Sizes around the room of a lane, a warp, a unit and a slot's descriptors.
inline constexpr std::array tested_bursts{1u,  2u,   7u,   16u,  31u,  32u,  33u,   63u,   64u,
                                          65u, 128u, 255u, 256u, 257u, 512u, 1000u, 1024u, 8192u};

inline constexpr std::array tested_packet_times{std::chrono::nanoseconds{0}, std::chrono::nanoseconds{200}};
// The packet time belongs to the executor, with any function.
inline constexpr std::array no_packet_time{std::chrono::nanoseconds{0}};

}  // namespace packetwarp::test

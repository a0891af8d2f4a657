// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "executor/make.h"
#include "function/compiled.h"
#include "function/general.h"
#include "memory/placement.h"
#include "parity/oracle.h"
#include "parity/oracles.h"
#include "parity/packet_bed.h"

// The tables of the parity suite: functions, executors, placements and bursts. A new function is no line here
// (parity/oracle.h), a new executor or placement is a line of its table.
namespace packetwarp::test {

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
  bool follows_epochs{};
};

template <packet_function F>
[[nodiscard]] constexpr tested_function test_of() {
  return {F::name, oracle<F>::process,
          [](executor_kind kind, burst_ring& ring, std::chrono::nanoseconds packet_time, gpu_settings const& gpu) {
            return make_executor<F>(kind, ring, tables_for<F>(kind, gpu), egress_index{0}, packet_time, gpu);
          },
          follows_epochs<F>};
}

// The tests of those compiled functions for which `wanted` holds, without general chains (parity/general.h).
template <class... Functions, class Wanted>
[[nodiscard]] std::vector<tested_function> tests_of(function_list<Functions...>, Wanted const& wanted) {
  std::vector<tested_function> all;
  auto const add = [&]<class F>() {
    if constexpr (!is_general<F>) {
      if (wanted.template operator()<F>()) all.push_back(test_of<F>());
    }
  };
  (add.template operator()<Functions>(), ...);
  return all;
}

// Functions without tables, functions with some, and functions that push tags, for which staged packets have no room in
// front.
inline auto const tested_functions =
    tests_of(compiled_functions{}, []<class F>() { return change_of<F> != frame_change::by_tables; });
inline auto const tested_functions_with_tables = tests_of(
    compiled_functions{}, []<class F>() { return change_of<F> == frame_change::by_tables && !pushes_tags<F>; });
inline auto const tested_functions_that_push = tests_of(compiled_functions{}, []<class F>() { return pushes_tags<F>; });

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

// Without persistent kernels, which launch no other kernels.
[[nodiscard]] inline std::vector<tested_executor> executors_with_launches() {
  std::vector<tested_executor> all;
  std::copy_if(tested_executors.begin(), tested_executors.end(), std::back_inserter(all),
               [](auto const& one) { return one.kind != executor_kind::persistent; });
  return all;
}

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

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "executor/executor.h"
#include "function/function_facts.h"
#include "memory/placement.h"
#include "plan/config.h"

namespace packetwarp::bench {

// A point of the matrix: the settings of a run.
struct parameters {
  std::string function{compiled_function_facts().front()->name};
  executor_kind executor{executor_kind::cpu};
  placement where{placement::host};
  std::uint32_t burst{32};
  std::uint32_t frame_bytes{64};  // with the FCS
  std::uint16_t pipelines{1};
  std::uint32_t lcores{2};  // including the main lcore
  std::chrono::nanoseconds packet_time{0};
  arrangement workers{arrangement::run_to_completion};
  std::optional<double> offered_mpps{};  // of a paced generator; nothing: full speed
  friend bool operator==(parameters const&, parameters const&) = default;
};
// "cpu, burst 32, 64 B, 2 pipelines", with unusual settings after it.
[[nodiscard]] std::string describe(parameters const& what);

// The same case with another executor, as far as the executor allows: skipped work takes no time, and the CPU's packets
// are in host memory. A case is compared with the result.
[[nodiscard]] parameters with_executor(parameters what, executor_kind executor);

// testpmd's forward modes: the counterparts of `none` and `cpu`.
enum class testpmd_mode : std::uint8_t { io, macswap };
[[nodiscard]] std::string_view to_string(testpmd_mode mode);

struct peer_parameters {
  testpmd_mode mode{testpmd_mode::io};
  std::uint32_t burst{32};
  std::uint32_t frame_bytes{64};
  std::uint16_t pipelines{1};  // ports, each served by a core of its own if enough exist
  std::uint32_t lcores{2};     // including the main lcore
  friend bool operator==(peer_parameters const&, peer_parameters const&) = default;
};
// testpmd under the same conditions as a case; nothing if testpmd has no counterpart: for work, an offered rate, other
// workers, a burst size that testpmd does not know, or no lcore beside the main one.
[[nodiscard]] std::optional<peer_parameters> peer_of(parameters const& what, testpmd_mode mode);

// The settings that vary. Every meaningful combination is a case.
struct matrix {
  std::vector<std::string> functions{std::string{compiled_function_facts().front()->name}};
  std::vector<executor_kind> executors{executor_kind::none, executor_kind::cpu, executor_kind::kernel,
                                       executor_kind::persistent, executor_kind::graph};
  std::vector<placement> placements{placement::host};
  std::vector<std::uint32_t> bursts{16, 32, 64, 128};
  std::vector<std::uint32_t> frame_bytes{64};
  std::vector<std::uint16_t> pipelines{1};
  std::vector<std::chrono::nanoseconds> packet_times{std::chrono::nanoseconds{0}};
  std::vector<arrangement> workers{arrangement::run_to_completion};
  std::vector<rate> offered{};  // in addition to the cases at full speed
};

// Comparable cases are adjacent: `none` and `cpu` first, whether or not they were asked for, then the executors in the
// given order. lcores: the number of available lcores.
[[nodiscard]] std::vector<parameters> cases_of(matrix const& what, std::uint32_t lcores);
[[nodiscard]] std::vector<peer_parameters> peers_of(std::vector<parameters> const& cases);

// The rate in Mpps for frames of this size. Throws usage_error for a text that is no rate by itself: a percentage, or
// max.
[[nodiscard]] double to_mpps(rate const& how_fast, std::uint32_t frame_bytes, std::string_view what);

}  // namespace packetwarp::bench

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
  std::uint32_t lcores{2};  // the main one is one of them
  std::chrono::nanoseconds packet_time{0};
  arrangement workers{arrangement::run_to_completion};
  std::optional<double> offered_mpps{};  // of a paced generator; nothing: as fast as it goes
  friend bool operator==(parameters const&, parameters const&) = default;
};
// "cpu, burst 32, 64 B, 2 pipelines", with unusual settings after it.
[[nodiscard]] std::string describe(parameters const& what);

// The same, as far as an executor can: work that is not done takes no time, and the CPU's packets are in host memory.
// It is what a case is to be seen beside.
[[nodiscard]] parameters with_executor(parameters what, executor_kind executor);

// testpmd's forward modes: what `none` and `cpu` are to packetwarp.
enum class testpmd_mode : std::uint8_t { io, macswap };
[[nodiscard]] std::string_view to_string(testpmd_mode mode);

struct peer_parameters {
  testpmd_mode mode{testpmd_mode::io};
  std::uint32_t burst{32};
  std::uint32_t frame_bytes{64};
  std::uint16_t pipelines{1};  // ports, each served by a core of its own if they suffice
  std::uint32_t lcores{2};     // the main one is one of them
  friend bool operator==(peer_parameters const&, peer_parameters const&) = default;
};
// testpmd under the same conditions as a case; nothing where it has none: work, an offered rate, other workers, a burst
// that it does not know, or no lcore beside the main one.
[[nodiscard]] std::optional<peer_parameters> peer_of(parameters const& what, testpmd_mode mode);

// The settings that vary. Every combination that makes sense is a case.
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
  std::vector<rate> offered{};  // beside the cases that go as fast as they can
};

// Cases that stand beside each other follow each other: `none` and `cpu` first, whether they were asked for or not,
// then the executors in the order given. lcores: as many as there are.
[[nodiscard]] std::vector<parameters> cases_of(matrix const& what, std::uint32_t lcores);
[[nodiscard]] std::vector<peer_parameters> peers_of(std::vector<parameters> const& cases);

// In Mpps, for frames of this size. Throws usage_error for a text that is no rate by itself: a percentage, or max.
[[nodiscard]] double to_mpps(rate const& how_fast, std::uint32_t frame_bytes, std::string_view what);

}  // namespace packetwarp::bench

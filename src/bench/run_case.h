// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "bench/command_lines.h"
#include "bench/results/results.h"

namespace packetwarp::bench {

// To start, and to drain at the end; a run that takes longer hangs.
inline constexpr auto run_patience = std::chrono::seconds{60};
// Itself, even where its file has been replaced meanwhile.
inline constexpr auto own_binary = "/proc/self/exe";

// Why a run whose warm-up took all its time has failed.
inline constexpr std::string_view nothing_measured = "nothing was sent after the warm-up";

// The outcome of one run. Still pending if we were asked to stop meanwhile.
struct attempt {
  case_status status{case_status::pending};
  std::string reason{};
  figures measured{};
  nlohmann::ordered_json host{};       // as the run's report has it; null where it has none
  std::vector<std::string> notices{};  // what the run's report says to judge its numbers
};

// Runs one case once: packetwarp's own binary, in a process of its own. Throws failure where nothing can be run at all.
[[nodiscard]] attempt run_once(parameters const& what, run_setup const& setup);

// Judges the reports of such runs. A report that does not add up, or is of something else than was asked for,
// is a failed run. Pure.
[[nodiscard]] attempt judge_forwarding(parameters const& what, std::string const& report);
[[nodiscard]] attempt judge_generated(parameters const& what, std::string const& report);
// A run without a report: its exit status says whether it could not be, or went wrong; its last words say why.
[[nodiscard]] attempt judge_refusal(int exit_status, std::string const& how, std::string const& errors);

// packetwarp's error line, without what every such line begins with, or else the last line of all.
[[nodiscard]] std::string last_words(std::string_view text);

}  // namespace packetwarp::bench

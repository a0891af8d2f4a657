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

// The time to start, and to drain at the end; a run that takes longer hangs.
inline constexpr auto run_patience = std::chrono::seconds{60};
// The running program itself, even if its file has been replaced meanwhile.
inline constexpr auto own_binary = "/proc/self/exe";

// Why a run whose warm-up took all its time has failed.
inline constexpr std::string_view nothing_measured = "nothing was sent after the warm-up";

// The outcome of one run: pending if this process was asked to stop meanwhile.
struct attempt {
  case_status status{case_status::pending};
  std::string reason{};
  figures measured{};
  nlohmann::ordered_json host{};       // from the run's report; null if the report has none
  std::vector<std::string> notices{};  // the facts in the run's report by which to judge its numbers
};

// Runs one case once: packetwarp's own binary, in a process of its own. Throws failure if nothing can be run at all.
[[nodiscard]] attempt run_once(parameters const& what, run_setup const& setup);

// Judges the report of a run of this kind. A report whose packets do not add up, or whose settings differ from the
// requested ones, makes the run a failed one. Pure.
[[nodiscard]] attempt judge_forwarding(parameters const& what, std::string const& report);
[[nodiscard]] attempt judge_generated(parameters const& what, std::string const& report);
// Judges a run without a report: the exit status tells an unsupported run from a failed one, and the last line of the
// errors gives the reason.
[[nodiscard]] attempt judge_refusal(int exit_status, std::string const& how, std::string const& errors);

// packetwarp's error line, without the words that begin every error line; otherwise the last line.
[[nodiscard]] std::string last_words(std::string_view text);

}  // namespace packetwarp::bench

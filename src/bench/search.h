// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "telemetry/run_report.h"

namespace packetwarp::bench {

// A run at one offered rate (RFC 2544, 26.1).
struct trial {
  double offered_mpps{};  // the requested rate
  std::uint64_t sent{};
  std::uint64_t received{};
  std::uint64_t lost{};  // including packets that the wire before the device did not accept
  double seconds{};      // the requested duration
  double received_mpps{};
  std::optional<telemetry::latency_percentiles> latency_us{};

  [[nodiscard]] double loss_percent() const {
    return sent == 0 ? 100 : 100 * static_cast<double>(lost) / static_cast<double>(sent);
  }
  // The share of the requested rate that the generator must reach; below it, a trial tests something else.
  static constexpr double kept = 0.99;
  [[nodiscard]] bool is_offered() const {
    return seconds > 0 && static_cast<double>(sent) >= kept * offered_mpps * 1e6 * seconds;
  }
};

// The outcome of a trial at a tolerated loss, in percent of the sent packets.
enum class trial_verdict : std::uint8_t {
  passed,
  lossy,
  not_offered  // the generator could not keep the rate, so the device may carry more
};
[[nodiscard]] trial_verdict judge(trial const& one, double tolerated_percent);
[[nodiscard]] std::string_view to_string(trial_verdict verdict);

// Runs a trial at a rate in Mpps; nothing if the search has to stop.
using trial_runner = std::function<std::optional<trial>(double mpps)>;

struct search_limits {
  double line_mpps{};           // no trial goes beyond
  double resolution_percent{};  // of the line: the precision of the search
};

// The highest rate that passed, and the lowest that did not: the search ends between them.
struct found_rate {
  double tolerated_percent{};
  double mpps{};                               // 0: no trial passed
  std::optional<double> above_mpps{};          // nothing: the line itself passed
  trial_verdict above{trial_verdict::passed};  // the verdict of the trial there
  std::optional<std::size_t> at{};             // the trial that passed at this rate
  bool is_complete{};                          // the search reached its resolution, rather than being stopped
};

// Binary search for the highest rate whose loss is tolerated. Trials in `known` are not repeated: they narrow the
// searched range; new trials are added to it. If a device's loss does not grow with the rate, the result is still a
// rate that passed, with a rate that did not pass above it, at most the resolution away.
[[nodiscard]] found_rate search(search_limits const& within, double tolerated_percent, std::vector<trial>& known,
                                trial_runner const& run);

}  // namespace packetwarp::bench

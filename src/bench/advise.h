// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/results.h"

namespace packetwarp::bench {

// The choice between several configurations that carry the rate.
enum class preference : std::uint8_t { cores, latency };
inline constexpr std::array preferences{preference::cores, preference::latency};
[[nodiscard]] std::string_view to_string(preference first);

// The load to carry.
struct demand {
  double mpps{};
  std::uint32_t frame_bytes{64};
  std::chrono::nanoseconds packet_time{0};
  std::optional<std::chrono::nanoseconds> latency_limit{};  // for the 99th percentile at that rate
  preference first{preference::cores};
};

// A case carries a rate if it reached this multiple of it at full speed, and at least the rate itself in its slowest
// run.
inline constexpr double margin = 1.1;

// A configuration, and its figures at the requested size and work.
struct candidate {
  enum class verdict : std::uint8_t { carries, too_slow, latency_unknown, too_late };

  parameters what{};
  spread mpps{};
  bool is_interpolated{};
  std::string basis{};                                         // "3 runs", or between which points
  std::optional<telemetry::latency_percentiles> latency_us{};  // at the requested rate
  std::string latency_basis{};                                 // the source of the latency, or the reason why none
                                                               // exists
  verdict judged{verdict::too_slow};
};

struct advice {
  std::vector<candidate> candidates{};  // the recommended one first, if any carries the rate; the others from best to
                                        // worst
  std::optional<double> nobody_mpps{};  // the rate of `none` at that size on as many pipelines as the first
  std::vector<std::string> notices{};   // the facts in the data by which to judge them
  std::string known_points{};           // the measured sizes and work, if none is near
  [[nodiscard]] bool is_possible() const {
    return !candidates.empty() && candidates.front().judged == candidate::verdict::carries;
  }
};

// Interpolates between measured points, in time per packet, and never beyond them. Pure.
[[nodiscard]] advice advise(results const& all, demand const& wanted);

// The choice, the reason, and the rates of the alternatives.
[[nodiscard]] std::string to_text(advice const& given, demand const& wanted);

}  // namespace packetwarp::bench

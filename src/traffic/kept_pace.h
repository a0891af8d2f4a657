// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace packetwarp::traffic {

// How much of the time that passed its packets were sent for: what a long stall kept from being sent is not made up,
// and its time has lapsed. The paces of several queues add up. In cycles.
struct kept_pace {
  double passed{};
  double lapsed{};

  // The share of the rate that was asked for which was reached; nothing if none was asked for, or no time passed.
  [[nodiscard]] std::optional<double> reached() const {
    return passed > 0 ? std::optional{1 - lapsed / passed} : std::nullopt;
  }
  kept_pace& operator+=(kept_pace const& more) {
    passed += more.passed;
    lapsed += more.lapsed;
    return *this;
  }
};

// A run that reached less has fallen short of its rate.
inline constexpr double least_reached = 0.99;

}  // namespace packetwarp::traffic

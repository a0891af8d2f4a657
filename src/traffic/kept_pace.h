// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace packetwarp::traffic {

// The time that passed while packets were to be sent, and the part of it that lapsed: a long stall's packets are not
// made up for. The paces of several queues add up. In cycles.
struct kept_pace {
  double passed{};
  double lapsed{};

  // The share of the requested rate that was reached; nothing if no rate was requested, or no time passed.
  [[nodiscard]] std::optional<double> reached() const {
    return passed > 0 ? std::optional{1 - lapsed / passed} : std::nullopt;
  }
  kept_pace& operator+=(kept_pace const& more) {
    passed += more.passed;
    lapsed += more.lapsed;
    return *this;
  }
};

// A run that reached a smaller share has fallen short of its rate.
inline constexpr double least_reached = 0.99;

}  // namespace packetwarp::traffic

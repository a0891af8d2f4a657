// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

namespace packetwarp::bench {

// The statistics of repeated runs.
struct spread {
  double median{};
  double min{};
  double max{};
  friend bool operator==(spread const&, spread const&) = default;
};

// Nothing for no values. An even number of values has two in the middle: the median is their mean.
[[nodiscard]] std::optional<spread> spread_of(std::vector<double> values);

// Nothing without a divisor, or for a divisor of 0.
[[nodiscard]] std::optional<double> ratio(std::optional<double> of, std::optional<double> to);

}  // namespace packetwarp::bench

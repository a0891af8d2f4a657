// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/statistics.h"

#include <algorithm>

namespace packetwarp::bench {

std::optional<spread> spread_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  auto const half = values.size() / 2;
  double const median = values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
  return spread{median, values.front(), values.back()};
}

std::optional<double> ratio(std::optional<double> of, std::optional<double> to) {
  if (!of || !to || *to == 0) return std::nullopt;
  return *of / *to;
}

}  // namespace packetwarp::bench

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace packetwarp {

// The percentiles of a latency in the generator's result: in its text, and by key in its JSON.
struct named_percentile {
  char const* name;
  char const* key;
  double percent;
};
inline constexpr named_percentile named_percentiles[]{{"p50", "p50", 50}, {"p99", "p99", 99}, {"p99.9", "p999", 99.9}};

}  // namespace packetwarp

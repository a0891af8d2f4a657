// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>

#include "telemetry/counter.h"
namespace packetwarp::telemetry {
class histogram {
 public:
  void record(std::uint64_t value, std::uint64_t weight) {
    auto const l = static_cast<unsigned>(std::bit_width(value | 31)) - 5;
    buckets_[l * 32 + ((value >> l) & 31)].add(weight);
  }

 private:
  std::array<counter, 64 * 32> buckets_{};
};
}  // namespace packetwarp::telemetry

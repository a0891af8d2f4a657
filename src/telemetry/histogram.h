// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "telemetry/counter.h"
#include "telemetry/histogram_buckets.h"

namespace packetwarp::telemetry {

// A histogram at one moment, as a value: it can be summed, subtracted and queried. All its numbers are 0 while it is
// empty.
class histogram_snapshot {
 public:
  [[nodiscard]] std::uint64_t count() const { return count_; }  // weights, summed
  [[nodiscard]] bool is_empty() const { return count_ == 0; }

  // Exact, except in a difference, where they may be off by one bucket: 1/32 of the value.
  [[nodiscard]] std::uint64_t min() const;
  [[nodiscard]] std::uint64_t max() const;

  // Within 1/64 (1.6 %) of the true one.
  [[nodiscard]] double mean() const;
  // The smallest value that at least `percent` of the recorded values do not exceed (nearest rank), within 1/64 of
  // itself and exact below 64. At 0 and 100 the lowest and the highest; beyond them the same.
  [[nodiscard]] std::uint64_t percentile(double percent) const;
  // The number of recorded values in buckets up to that of `value`: exact except for values within 1/32 above it.
  [[nodiscard]] std::uint64_t count_at_most(std::uint64_t value) const;

  // The result is as if both had been recorded into one histogram.
  histogram_snapshot& operator+=(histogram_snapshot const& other);
  // Subtracts an earlier snapshot of the same histogram: the values recorded in between remain.
  histogram_snapshot& operator-=(histogram_snapshot const& earlier);
  [[nodiscard]] friend histogram_snapshot operator-(histogram_snapshot later, histogram_snapshot const& earlier) {
    later -= earlier;
    return later;
  }

 private:
  friend class histogram;
  std::array<std::uint64_t, histogram_buckets::count> counts_{};
  std::uint64_t count_{0};
  std::uint64_t lowest_{std::numeric_limits<std::uint64_t>::max()};
  std::uint64_t highest_{0};
};

// Counts values by size in 15 KiB of fixed memory, whatever the values are. A single thread records, in a few
// nanoseconds; any thread may take snapshots meanwhile, which hold every complete record and perhaps an incomplete one.
class histogram {
 public:
  // Only the writer calls it. weight: how many times the value occurred.
  void record(std::uint64_t value, std::uint64_t weight) {
    if (weight == 0) return;
    counts_[histogram_buckets::of(value)].add(weight);
    if (value < lowest_.read()) lowest_.set(value);
    if (value > highest_.read()) highest_.set(value);
  }

  // Any thread may call it.
  [[nodiscard]] histogram_snapshot snapshot() const;

 private:
  counter lowest_{std::numeric_limits<std::uint64_t>::max()};
  counter highest_;
  std::array<counter, histogram_buckets::count> counts_;
};

}  // namespace packetwarp::telemetry

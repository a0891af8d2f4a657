// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace packetwarp::telemetry {
namespace {

using buckets = histogram_buckets;

// The rank is 1 to count. A percentage such as 99.9 has no exact double; without the step down, 99.9 % of 1000 could
// become the 1000th.
[[nodiscard]] std::uint64_t nearest_rank(double percent, std::uint64_t count) {
  if (!(percent > 0)) return 1;
  if (percent >= 100) return count;
  auto const rank = std::ceil(std::nextafter(percent, 0.0) / 100 * static_cast<double>(count));
  // The conversion to a double may have rounded count up.
  return rank >= static_cast<double>(count) ? count : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rank));
}

}  // namespace

// The recorded extremes are exact while they lie in the outermost bucket in use. They lie elsewhere if a snapshot was
// taken between a record's count and its extreme, or if a difference has lost the bucket they were in.
std::uint64_t histogram_snapshot::min() const {
  if (is_empty()) return 0;
  auto const first = std::find_if(counts_.begin(), counts_.end(), [](auto n) { return n != 0; });
  auto const bucket = static_cast<std::size_t>(first - counts_.begin());
  return std::clamp(lowest_, buckets::lowest(bucket), buckets::highest(bucket));
}

std::uint64_t histogram_snapshot::max() const {
  if (is_empty()) return 0;
  auto const last = std::find_if(counts_.rbegin(), counts_.rend(), [](auto n) { return n != 0; });
  auto const bucket = static_cast<std::size_t>(counts_.rend() - last) - 1;
  return std::clamp(highest_, buckets::lowest(bucket), buckets::highest(bucket));
}

double histogram_snapshot::mean() const {
  if (is_empty()) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    sum += static_cast<double>(counts_[i]) * static_cast<double>(buckets::middle(i));
  }
  return std::clamp(sum / static_cast<double>(count_), static_cast<double>(min()), static_cast<double>(max()));
}

std::uint64_t histogram_snapshot::percentile(double percent) const {
  if (is_empty()) return 0;
  if (!(percent > 0)) return min();
  if (percent >= 100) return max();
  auto const rank = nearest_rank(percent, count_);
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while ((seen += counts_[bucket]) < rank) ++bucket;
  return std::clamp(buckets::middle(bucket), min(), max());
}

std::uint64_t histogram_snapshot::count_at_most(std::uint64_t value) const {
  auto const end = counts_.begin() + static_cast<std::ptrdiff_t>(buckets::of(value)) + 1;
  return std::accumulate(counts_.begin(), end, std::uint64_t{0});
}

histogram_snapshot& histogram_snapshot::operator+=(histogram_snapshot const& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  lowest_ = std::min(lowest_, other.lowest_);
  highest_ = std::max(highest_, other.highest_);
  return *this;
}

histogram_snapshot& histogram_snapshot::operator-=(histogram_snapshot const& earlier) {
  count_ = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] -= std::min(counts_[i], earlier.counts_[i]);
    count_ += counts_[i];
  }
  return *this;
}

histogram_snapshot histogram::snapshot() const {
  histogram_snapshot now;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    now.counts_[i] = counts_[i].read();
    now.count_ += now.counts_[i];
  }
  now.lowest_ = lowest_.read();
  now.highest_ = highest_.read();
  return now;
}

}  // namespace packetwarp::telemetry

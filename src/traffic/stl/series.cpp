// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace packetwarp::traffic::stl {
namespace {

// Variables of one stream differ even if they share its seed.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = name.size();
  for (char const c : name) hash = mix_bits(hash ^ static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

series::series(variable const& of, part which, std::uint64_t stream_seed)
    : base_{of.min}, range_{of.max - of.min + 1}, limit_{of.limit}, list_{of.list} {
  if (which == part::port) {
    divider_ = range_;
    base_ = of.port_min;
    range_ = of.port_max - of.port_min + 1;
  }
  if (of.how == progress::random) {
    kind_ = kind::random;
    seed_ = mix_bits(of.seed.value_or(stream_seed) ^ hash_of(of.name));
  }
  if (which == part::whole && of.how != progress::random) {
    offset_ = list_.empty() ? of.first - of.min : 0;
    step_ = range_ == 0 ? of.step : of.step % range_;
    // A step down is a step up by the rest of a whole round.
    if (of.how == progress::dec && step_ != 0) step_ = range_ - step_;
  }
  if (range_ == 1) {
    kind_ = kind::constant;
    if (!list_.empty()) base_ = list_.front();
  }
}

std::uint64_t series::smallest() const { return list_.empty() ? base_ : *std::min_element(list_.begin(), list_.end()); }

std::uint64_t series::largest() const {
  return list_.empty() ? base_ + range_ - 1 : *std::max_element(list_.begin(), list_.end());
}

double series::mean() const {
  if (list_.empty()) return (static_cast<double>(smallest()) + static_cast<double>(largest())) / 2;
  auto const add = [](double sum, std::uint64_t value) { return sum + static_cast<double>(value); };
  return std::accumulate(list_.begin(), list_.end(), 0.0, add) / static_cast<double>(list_.size());
}

series series_named(std::string_view name, stream const& of) {
  for (auto const& one : of.variables) {
    if (one.how != progress::tuple && one.name == name) return {one, series::part::whole, of.seed};
    if (one.how == progress::tuple && one.name + ".ip" == name) return {one, series::part::ip, of.seed};
    if (one.how == progress::tuple && one.name + ".port" == name) return {one, series::part::port, of.seed};
  }
  throw failure(fmt::format("stream '{}': there is no variable '{}'", of.name, name));
}

}  // namespace packetwarp::traffic::stl

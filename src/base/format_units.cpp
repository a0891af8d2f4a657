// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <span>

#include "base/units.h"

namespace packetwarp {
namespace {

std::string three_digits(double value) {
  double const magnitude = std::abs(value);
  if (magnitude < 9.995) return fmt::format("{:.2f}", value);
  if (magnitude < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

// The value in the largest of `units` that leaves at least 1 before the point, each unit `step` times the one before.
std::string in_largest_unit(double value, double step, std::span<std::string_view const> units) {
  std::size_t unit = 0;
  // Half a digit below the step: above it, three digits would already be rounded up to the step.
  while (std::abs(value) >= step - 0.5 && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  bool const as_it_is = unit == 0 && value == std::trunc(value);
  auto const number = as_it_is ? fmt::format("{:.0f}", value) : three_digits(value);
  return units[unit].empty() ? number : fmt::format("{} {}", number, units[unit]);
}

}  // namespace

std::string format_si(double value) {
  static constexpr std::string_view prefixes[]{"", "k", "M", "G", "T", "P", "E"};
  return in_largest_unit(value, 1'000, prefixes);
}

std::string format_size(std::uint64_t bytes) {
  static constexpr std::string_view units[]{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return in_largest_unit(static_cast<double>(bytes), 1'024, units);
}

std::string format_duration(double nanoseconds) {
  static constexpr std::string_view units[]{"ns", "us", "ms", "s"};
  return in_largest_unit(nanoseconds, 1'000, units);
}

}  // namespace packetwarp

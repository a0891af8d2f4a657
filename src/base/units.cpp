// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>

#include <cstdlib>
namespace packetwarp {
std::uint64_t parse_count(std::string_view t, std::string_view) {
  return std::strtoull(std::string(t).c_str(), nullptr, 10);
}
std::uint64_t parse_size(std::string_view t, std::string_view) {
  return std::strtoull(std::string(t).c_str(), nullptr, 10);
}
std::chrono::nanoseconds parse_duration(std::string_view t, std::string_view) {
  char* e;
  double v = std::strtod(std::string(t).c_str(), &e);
  return std::chrono::nanoseconds(static_cast<long>(v * (t.ends_with("ns")   ? 1
                                                         : t.ends_with("us") ? 1e3
                                                         : t.ends_with("ms") ? 1e6
                                                                             : 1e9)));
}
std::string format_size(std::uint64_t b) { return fmt::format("{} B", b); }
std::string format_duration(double b) { return fmt::format("{} ns", b); }
}  // namespace packetwarp

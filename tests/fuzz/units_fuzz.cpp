// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/units.h"

namespace {

using namespace packetwarp;

void require(bool holds) {
  if (!holds) std::abort();
}

// Any text is either a value that `valid` accepts, or one printable line.
template <class Parse, class Valid>
void parse_any(Parse parse, std::string_view text, Valid valid) {
  try {
    require(valid(parse(text, "fuzz")));
  } catch (usage_error const& error) {
    for (char const c : std::string_view{error.what()}) require(c >= ' ' && c <= '~');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  parse_any(parse_count, text, [](auto value) { return !format_si(static_cast<double>(value)).empty(); });
  parse_any(parse_size, text, [](auto value) { return !format_size(value).empty(); });
  parse_any(parse_duration, text, [](auto value) { return value.count() >= 0; });
  parse_any(parse_rate, text, [](auto value) {
    return std::isfinite(value.value) && (value.value > 0 || value.in == rate::unit::unlimited);
  });
  return 0;
}

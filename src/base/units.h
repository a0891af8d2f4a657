// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace packetwarp {

// Numbers as people type them: digits, a decimal point and more digits if a fraction makes sense, then a unit, which a
// blank may precede. Every parser takes the whole text or throws usage_error with one line that holds the text, what is
// wrong and the grammar; `what` names the option or key that has the text. Letter case and the locale are ignored;
// signs, exponents, inf and nan are refused. Decimal fractions are exact: nothing is rounded.

// "64", "8k", "1.5m", "2g", with decimal factors: a count of things. Fractions must come out whole.
[[nodiscard]] std::uint64_t parse_count(std::string_view text, std::string_view what);

// "2048", "64k", "1m", "1g", optionally with "b" or "ib" after it, factors of 1024: bytes.
[[nodiscard]] std::uint64_t parse_size(std::string_view text, std::string_view what);

// "500ns", "40us", "1.5ms", "2s", "10m" (minutes), "1h"; "0" needs no unit. Must come out in whole nanoseconds.
[[nodiscard]] std::chrono::nanoseconds parse_duration(std::string_view text, std::string_view what);

// How fast a generator sends.
struct rate {
  enum class unit : std::uint8_t {
    packets_per_second,
    l1_bits_per_second,  // with preamble, start delimiter and inter-frame gap: 20 bytes per frame
    l2_bits_per_second,  // frames with their FCS, as RFC 2544 counts them
    line_percent,        // of the port's link speed, on layer 1
    unlimited            // as fast as the port takes them
  };
  double value{};
  unit in{unit::unlimited};
  friend bool operator==(rate const&, rate const&) = default;
};

// "10mpps", "148.8mpps", "1gbps" or "1gbpsl2" (layer 2), "1gbpsl1", "50%", "max". "pps" and "bps" take k, m, g, t or
// nothing before them. A rate is more than 0; a percentage is at most 100.
[[nodiscard]] rate parse_rate(std::string_view text, std::string_view what);

// For tables, with three significant digits.
// "12.3 M"; whole numbers below 1000 as they are: "640". The unit goes after it: format_si(v) + "pps".
[[nodiscard]] std::string format_si(double value);
// "1.50 GiB", "512 B".
[[nodiscard]] std::string format_size(std::uint64_t bytes);
// "6.90 us"; seconds are the largest unit.
[[nodiscard]] std::string format_duration(double nanoseconds);

}  // namespace packetwarp

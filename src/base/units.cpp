// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "base/error.h"

namespace packetwarp {
namespace {

// The demands on one parser: the words that its errors are made of.
struct question {
  std::string_view text;
  std::string_view what;
  std::string_view grammar;
};

// Keeps the error one readable line, whatever bytes the text holds.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown{text.substr(0, longest)};
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", shown, text.size() > longest ? "..." : "");
}

[[noreturn]] void refuse(question const& asked, std::string_view problem) {
  throw usage_error{fmt::format("{}: {} {}; expected {}", asked.what, quoted(asked.text), problem, asked.grammar)};
}

// The value whole + fraction / fraction_scale, exactly as the digits say, without a binary fraction's rounding.
struct decimal {
  std::uint64_t whole{};
  std::uint64_t fraction{};
  std::uint64_t fraction_scale{1};
  [[nodiscard]] bool is_zero() const { return whole == 0 && fraction == 0; }
};

// A number and the unit after it, in small letters.
struct quantity {
  decimal number;
  std::string unit;
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char to_small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view take_digits(std::string_view& rest) {
  auto const end = std::find_if_not(rest.begin(), rest.end(), is_digit);
  auto const digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(digits.size());
  return digits;
}

std::uint64_t to_integer(std::string_view digits, question const& asked) {
  std::uint64_t value = 0;
  for (char const c : digits) {
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value)) {
      refuse(asked, "is too large");
    }
  }
  return value;
}

quantity split(question const& asked) {
  // With 18 digits a fraction, its scale and a factor's product fit the integers used here.
  constexpr std::size_t most_fraction_digits = 18;
  auto rest = asked.text;
  if (rest.empty()) refuse(asked, "is empty");
  if (rest.size() > 1 && rest[0] == '-' && is_digit(rest[1])) refuse(asked, "is negative");
  auto const whole = take_digits(rest);
  if (whole.empty()) refuse(asked, "is not a number");
  quantity found;
  found.number.whole = to_integer(whole, asked);
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    auto fraction = take_digits(rest);
    if (fraction.empty()) refuse(asked, "has no digit after the point");
    fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
    if (fraction.size() > most_fraction_digits) refuse(asked, "has too many digits after the point");
    found.number.fraction = to_integer(fraction, asked);
    for (std::size_t i = 0; i < fraction.size(); ++i) found.number.fraction_scale *= 10;
  }
  auto const before_unit = rest.find_first_not_of(' ');
  if (!rest.empty() && before_unit == std::string_view::npos) refuse(asked, "ends in a blank");
  if (before_unit != std::string_view::npos) rest.remove_prefix(before_unit);
  found.unit.assign(rest);
  std::transform(found.unit.begin(), found.unit.end(), found.unit.begin(), to_small);
  return found;
}

struct unit_factor {
  std::string_view name;
  std::uint64_t factor;
};

std::uint64_t factor_of(std::string_view unit, std::span<unit_factor const> units, question const& asked) {
  auto const found = std::find_if(units.begin(), units.end(), [&](auto const& known) { return known.name == unit; });
  if (found != units.end()) return found->factor;
  refuse(asked, unit.empty() ? "has no unit" : "has no such unit");
}

// Computes number * factor, which must be whole and at most `largest`; `things` names the counted unit.
std::uint64_t scale(decimal const& number, std::uint64_t factor, std::uint64_t largest, std::string_view things,
                    question const& asked) {
  using wide = unsigned __int128;
  wide const part = wide{number.fraction} * factor;
  wide const total = wide{number.whole} * factor + part / number.fraction_scale;
  if (total > largest) refuse(asked, "is too large");
  if (part % number.fraction_scale != 0) refuse(asked, fmt::format("is not a whole number of {}", things));
  return static_cast<std::uint64_t>(total);
}

constexpr std::uint64_t kilo = 1'000, mega = kilo * kilo, giga = kilo * mega, tera = kilo * giga;
constexpr std::uint64_t kibi = 1'024, mebi = kibi * kibi, gibi = kibi * mebi;

constexpr unit_factor count_units[]{{"", 1}, {"k", kilo}, {"m", mega}, {"g", giga}};
constexpr unit_factor size_units[]{{"", 1},      {"b", 1},      {"k", kibi}, {"kb", kibi}, {"kib", kibi}, {"m", mebi},
                                   {"mb", mebi}, {"mib", mebi}, {"g", gibi}, {"gb", gibi}, {"gib", gibi}};
constexpr unit_factor duration_units[]{{"ns", 1},   {"us", kilo},     {"ms", mega},
                                       {"s", giga}, {"m", 60 * giga}, {"h", 3'600 * giga}};
constexpr unit_factor rate_prefixes[]{{"", 1}, {"k", kilo}, {"m", mega}, {"g", giga}, {"t", tera}};

struct rate_ending {
  std::string_view name;
  rate::unit in;
};
constexpr rate_ending rate_endings[]{{"pps", rate::unit::packets_per_second},
                                     {"bps", rate::unit::l2_bits_per_second},
                                     {"bpsl2", rate::unit::l2_bits_per_second},
                                     {"bpsl1", rate::unit::l1_bits_per_second}};

double to_double(decimal const& number, std::uint64_t factor) {
  auto const by = static_cast<double>(factor);
  return static_cast<double>(number.whole) * by +
         static_cast<double>(number.fraction) * by / static_cast<double>(number.fraction_scale);
}

rate to_rate(quantity const& found, question const& asked) {
  if (found.unit == "%") return {to_double(found.number, 1), rate::unit::line_percent};
  std::string_view const unit = found.unit;
  for (auto const& ending : rate_endings) {
    if (!unit.ends_with(ending.name)) continue;
    auto const prefix = unit.substr(0, unit.size() - ending.name.size());
    return {to_double(found.number, factor_of(prefix, rate_prefixes, asked)), ending.in};
  }
  refuse(asked, unit.empty() ? "has no unit" : "has no such unit");
}

}  // namespace

std::uint64_t parse_count(std::string_view text, std::string_view what) {
  question const asked{text, what, "a number, alone or with k, m or g (thousands), such as 64 or 8k"};
  auto const found = split(asked);
  return scale(found.number, factor_of(found.unit, count_units, asked), std::numeric_limits<std::uint64_t>::max(),
               "things", asked);
}

std::uint64_t parse_size(std::string_view text, std::string_view what) {
  question const asked{text, what, "a number of bytes, alone or with k, m or g (factors of 1024), such as 2048 or 64k"};
  auto const found = split(asked);
  return scale(found.number, factor_of(found.unit, size_units, asked), std::numeric_limits<std::uint64_t>::max(),
               "bytes", asked);
}

std::chrono::nanoseconds parse_duration(std::string_view text, std::string_view what) {
  question const asked{text, what, "a number with ns, us, ms, s, m or h, such as 20us"};
  auto const found = split(asked);
  if (found.number.is_zero() && found.unit.empty()) return std::chrono::nanoseconds{0};
  using count = std::chrono::nanoseconds::rep;
  auto const largest = static_cast<std::uint64_t>(std::numeric_limits<count>::max());
  return std::chrono::nanoseconds{static_cast<count>(
      scale(found.number, factor_of(found.unit, duration_units, asked), largest, "nanoseconds", asked))};
}

rate parse_rate(std::string_view text, std::string_view what) {
  question const asked{text, what, "a number with pps, bps (layer 2), bpsl1 or %, such as 10mpps or 50%, or max"};
  auto const is_max = [](char given, char wanted) { return to_small(given) == wanted; };
  if (std::equal(text.begin(), text.end(), std::string_view{"max"}.begin(), std::string_view{"max"}.end(), is_max)) {
    return {0, rate::unit::unlimited};
  }
  auto const found = split(asked);
  auto const parsed = to_rate(found, asked);
  if (found.number.is_zero()) refuse(asked, "sends nothing");
  if (parsed.in == rate::unit::line_percent && parsed.value > 100) refuse(asked, "is more than the line carries");
  return parsed;
}

}  // namespace packetwarp

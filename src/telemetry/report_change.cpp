// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/report_change.h"

#include <algorithm>

#include "telemetry/text_table.h"

namespace packetwarp::telemetry {

using nlohmann::ordered_json;

ordered_json const& part(ordered_json const& in, char const* key) {
  static ordered_json const none;
  if (!in.is_object()) return none;
  auto const found = in.find(key);
  return found == in.end() ? none : *found;
}

double number(ordered_json const& in, char const* key) {
  auto const& found = part(in, key);
  return found.is_number() ? found.get<double>() : 0;
}

std::uint64_t count(ordered_json const& in, char const* key) {
  auto const& found = part(in, key);
  if (found.is_number_unsigned()) return found.get<std::uint64_t>();
  return found.is_number_integer() ? static_cast<std::uint64_t>(std::max<std::int64_t>(found.get<std::int64_t>(), 0))
                                   : 0;
}

std::string text(ordered_json const& in, char const* key) {
  auto const& found = part(in, key);
  return found.is_string() ? found.get<std::string>() : found.is_null() ? "-" : found.dump();
}

ordered_json const& like(ordered_json const& among, ordered_json const& one, std::initializer_list<char const*> keys) {
  static ordered_json const none;
  for (auto const& other : among) {
    if (std::all_of(keys.begin(), keys.end(), [&](auto* key) { return part(other, key) == part(one, key); })) {
      return other;
    }
  }
  return none;
}

report_change::report_change(ordered_json const* before, ordered_json const& now) : before_{before}, now_{now} {
  if (before != nullptr) seconds_ = number(now, "elapsed_seconds") - number(*before, "elapsed_seconds");
}

ordered_json const& report_change::before() const {
  static ordered_json const none;
  return before_ == nullptr ? none : *before_;
}

std::optional<double> report_change::rate(double before, double now) const {
  if (before_ == nullptr || seconds_ <= 0) return std::nullopt;
  return std::max(now - before, 0.0) / seconds_;
}

std::string rate_text(std::optional<double> rate, std::string_view unit) { return rate ? with_unit(*rate, unit) : "-"; }

}  // namespace packetwarp::telemetry

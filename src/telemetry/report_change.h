// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace packetwarp::telemetry {

// Values of a report as JSON, which may be from another version: 0 and nothing for a value that is missing, or is of
// another kind.
[[nodiscard]] double number(nlohmann::ordered_json const& in, char const* key);
[[nodiscard]] std::uint64_t count(nlohmann::ordered_json const& in, char const* key);
[[nodiscard]] std::string text(nlohmann::ordered_json const& in, char const* key);
[[nodiscard]] nlohmann::ordered_json const& part(nlohmann::ordered_json const& in, char const* key);
// The element of an array that equals another one in these keys.
[[nodiscard]] nlohmann::ordered_json const& like(nlohmann::ordered_json const& among, nlohmann::ordered_json const& one,
                                                 std::initializer_list<char const*> keys);

// The change between two moments of one run, by its reports.
class report_change {
 public:
  // Both reports outlive the change; before: nullptr without an earlier moment.
  report_change(nlohmann::ordered_json const* before, nlohmann::ordered_json const& now);
  [[nodiscard]] nlohmann::ordered_json const& now() const { return now_; }
  // The report of the earlier moment; null without one.
  [[nodiscard]] nlohmann::ordered_json const& before() const;
  // The growth of a count per second; nothing without an earlier moment.
  [[nodiscard]] std::optional<double> rate(double before, double now) const;
  // Seconds between the moments; 0 without an earlier one.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  nlohmann::ordered_json const* before_;
  nlohmann::ordered_json const& now_;
  double seconds_{};
};

// "2.00 Mpps"; "-" for a rate that is not known.
[[nodiscard]] std::string rate_text(std::optional<double> rate, std::string_view unit);

}  // namespace packetwarp::telemetry

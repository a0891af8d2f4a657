// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packetwarp::telemetry {

// The formats that Prometheus scrapes: its own text format, version 0.0.4, and OpenMetrics 1.0.
enum class exposition : std::uint8_t { text, openmetrics };

// A label's name and its value, as it is.
struct label {
  std::string_view name;
  std::string value;
};
using labels = std::vector<label>;

// A family of metrics. With a unit, its name ends with it.
struct family {
  std::string_view name;  // without "packetwarp_" and the suffix of its type
  std::string_view type;  // counter, gauge, histogram or info
  std::string_view help;
  std::string_view unit{};
};

// Writes families one after the other: their metadata first, then every sample, as both formats require. Samples have
// the same names in both.
class metrics_text {
 public:
  explicit metrics_text(exposition format) : format_{format} {}
  void begin(family const& next);
  void sample(labels const& of, std::uint64_t value) { sample(suffix_, of, value); }
  void sample(labels const& of, double value) { sample(suffix_, of, value); }
  void sample(std::string_view suffix, labels const& of, std::uint64_t value);
  void sample(std::string_view suffix, labels const& of, double value);
  [[nodiscard]] std::string end() &&;

 private:
  void write(std::string_view suffix, labels const& of, std::string const& value);

  exposition format_;
  std::string text_, name_, suffix_;
};

// A number in the form of expositions: a whole number ends with ".0", as bucket bounds must.
[[nodiscard]] std::string metrics_number(double value);

}  // namespace packetwarp::telemetry

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/shown_text.h"

namespace packetwarp::telemetry {
namespace {

// An exposition is UTF-8; a driver may name a port in any bytes.
[[nodiscard]] std::string escaped(std::string_view value) {
  std::string made;
  for (auto const c : as_utf8(value)) {
    if (c == '\n') {
      made += "\\n";
    } else {
      if (c == '"' || c == '\\') made += '\\';
      made += c;
    }
  }
  return made;
}

[[nodiscard]] std::string braced(labels const& all) {
  std::string made;
  for (auto const& [name, value] : all) {
    made += fmt::format("{}{}=\"{}\"", made.empty() ? "" : ",", name, escaped(value));
  }
  return made.empty() ? made : "{" + made + "}";
}

}  // namespace

std::string metrics_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void metrics_text::begin(family const& next) {
  name_ = fmt::format("packetwarp_{}", next.name);
  suffix_ = next.type == "counter" ? "_total" : next.type == "info" ? "_info" : "";
  bool const is_text = format_ == exposition::text;
  // The text format names the sample instead of the family, and has neither info metrics nor units.
  auto const name = is_text ? name_ + suffix_ : name_;
  text_ += fmt::format("# TYPE {} {}\n", name, is_text && next.type == "info" ? "gauge" : next.type);
  if (!is_text && !next.unit.empty()) text_ += fmt::format("# UNIT {} {}\n", name, next.unit);
  text_ += fmt::format("# HELP {} {}\n", name, next.help);
}

void metrics_text::sample(std::string_view suffix, labels const& of, std::uint64_t value) {
  write(suffix, of, fmt::format("{}", value));
}
void metrics_text::sample(std::string_view suffix, labels const& of, double value) {
  write(suffix, of, metrics_number(value));
}

std::string metrics_text::end() && {
  if (format_ == exposition::openmetrics) text_ += "# EOF\n";
  return std::move(text_);
}

void metrics_text::write(std::string_view suffix, labels const& of, std::string const& value) {
  text_ += fmt::format("{}{}{} {}\n", name_, suffix, braced(of), value);
}

}  // namespace packetwarp::telemetry

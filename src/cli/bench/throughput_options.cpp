// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/throughput_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "base/units.h"

namespace packetwarp::bench {
namespace {

// "0.5", or "0.5%".
double parse_percent(std::string_view text, std::string_view what, double least, double most) {
  auto digits = text;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  double value{};
  auto const* const end = digits.data() + digits.size();
  auto const [stop, error] = std::from_chars(digits.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || stop != end || !(value >= least && value <= most)) {
    throw usage_error(fmt::format("{}: '{}' is no percentage from {:g} to {:g}", what, text, least, most));
  }
  return value;
}

}  // namespace

void declare(CLI::App& app, typed_throughput_options& typed) {
  app.add_flag("--ndr", typed.search);
  app.add_option("--pdr", typed.partial_drop);
  app.add_option("--trial", typed.trial);
  app.add_option("--resolution", typed.resolution);
  app.add_option("--line", typed.line);
}

std::optional<throughput_options> parse_throughput_options(typed_throughput_options const& typed) {
  if (!typed.search) {
    for (auto const& [given, name] :
         {std::pair{typed.partial_drop.has_value(), "--pdr"}, std::pair{typed.trial.has_value(), "--trial"},
          std::pair{typed.resolution.has_value(), "--resolution"}, std::pair{typed.line.has_value(), "--line"}}) {
      if (given) throw usage_error(fmt::format("{}: is about the search for throughput; give --ndr, too", name));
    }
    return std::nullopt;
  }
  throughput_options made;
  if (typed.partial_drop) made.partial_drop_percent = parse_percent(*typed.partial_drop, "--pdr", 0, 50);
  if (typed.resolution) made.resolution_percent = parse_percent(*typed.resolution, "--resolution", 0.01, 50);
  if (typed.trial) {
    made.trial = parse_duration(*typed.trial, "--trial");
    if (made.trial < std::chrono::milliseconds{50} || made.trial > std::chrono::hours{1}) {
      throw usage_error(fmt::format("--trial: {} is out of range; allowed are 50ms to 1h", *typed.trial));
    }
  }
  if (typed.line) {
    made.line = parse_rate(*typed.line, "--line");
    (void)to_mpps(*made.line, 64, "--line");  // refuses early a text that is no rate
  }
  return made;
}

}  // namespace packetwarp::bench

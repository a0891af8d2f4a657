// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "telemetry/report_part.h"

namespace packetwarp::telemetry {

// A part that no module has.
struct some_part final : report_part {
  [[nodiscard]] std::string_view name() const override { return "some"; }
  [[nodiscard]] nlohmann::ordered_json object() const override { return {{"things", 7}}; }
  void add_metrics(metrics_text& to) const override {
    to.begin({"some_things", "counter", "Things of a module's."});
    to.sample({}, std::uint64_t{7});
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> numbers(std::size_t) const override {
    return {{"things", 7}};
  }
  [[nodiscard]] std::string line() const override { return "some     7 things\n"; }
  [[nodiscard]] std::string table() const override { return "\nthings\n     7\n"; }
};

}  // namespace packetwarp::telemetry

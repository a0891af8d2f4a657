// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "telemetry/metrics_text.h"

namespace packetwarp::telemetry {

// A part of a report that only its maker knows, such as the module of a network. Any thread may read it.
class report_part {
 public:
  report_part() = default;
  report_part(report_part const&) = default;
  report_part& operator=(report_part const&) = default;
  virtual ~report_part() = default;

  // The part's key in the report's JSON, and its name for DPDK's telemetry.
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual nlohmann::ordered_json object() const = 0;
  virtual void add_metrics(metrics_text& to) const = 0;
  // Numbers by their names; the first `most` if there are more.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::uint64_t>> numbers(std::size_t most) const = 0;
  // Text for a terminal, each line with a line end: a line after that of the packets, and a table after those of the
  // ports.
  [[nodiscard]] virtual std::string line() const { return {}; }
  [[nodiscard]] virtual std::string table() const { return {}; }
};

}  // namespace packetwarp::telemetry

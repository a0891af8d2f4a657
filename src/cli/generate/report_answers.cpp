// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/generate/report_answers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "cli/generate/percentiles.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

using telemetry::text_table;
using telemetry::with_separators;
using traffic::packet_class;

struct totals {
  std::uint64_t right{};
  std::uint64_t wrong{};
  std::uint64_t missing{};
};
[[nodiscard]] totals totals_of(traffic::answer_table const& of) {
  totals sum;
  for (std::size_t known = 0; known < of.size(); ++known) {
    sum.right += of[known].called[known];
    sum.wrong += of[known].called[1 - known];
    sum.missing += of[known].missing();
  }
  return sum;
}

[[nodiscard]] double nanoseconds_at(telemetry::histogram_snapshot const& latency, double percent,
                                    double cycles_per_second) {
  return static_cast<double>(latency.percentile(percent)) / cycles_per_second * 1e9;
}

[[nodiscard]] std::string_view name_of(std::size_t known) { return to_string(static_cast<packet_class>(known)); }

}  // namespace

std::string text_of(traffic::answer_table const& of, double cycles_per_second) {
  std::vector<text_table::column> columns{{"packets"}, {"sent"}, {"called normal"}, {"called anomalous"}, {"missing"}};
  for (auto const& one : named_percentiles) columns.push_back({one.name});
  text_table table{std::move(columns)};
  for (std::size_t known = 0; known < of.size(); ++known) {
    auto const& one = of[known];
    std::vector<std::string> cells{std::string{name_of(known)}, with_separators(one.sent)};
    for (auto const count : {one.called[0], one.called[1], one.missing()}) cells.push_back(with_separators(count));
    for (auto const& p : named_percentiles) {
      cells.push_back(
          one.latency.is_empty() ? "-" : format_duration(nanoseconds_at(one.latency, p.percent, cycles_per_second)));
    }
    table.add_row(std::move(cells));
  }
  auto const sum = totals_of(of);
  return fmt::format("answers   right {}   wrong {}   missing {}\n\n", with_separators(sum.right),
                     with_separators(sum.wrong), with_separators(sum.missing)) +
         table.text();
}

nlohmann::ordered_json json_of(traffic::answer_table const& of, double cycles_per_second) {
  auto const sum = totals_of(of);
  nlohmann::ordered_json made{{"right", sum.right}, {"wrong", sum.wrong}, {"missing", sum.missing}};
  for (std::size_t known = 0; known < of.size(); ++known) {
    auto const& one = of[known];
    nlohmann::ordered_json latency = nullptr;
    if (!one.latency.is_empty()) {
      latency = nlohmann::ordered_json::object();
      for (auto const& p : named_percentiles) {
        latency[p.key] = nanoseconds_at(one.latency, p.percent, cycles_per_second) / 1e3;
      }
    }
    made[std::string{name_of(known)}] = {{"sent", one.sent},
                                         {"called_normal", one.called[0]},
                                         {"called_anomalous", one.called[1]},
                                         {"missing", one.missing()},
                                         {"latency_us", std::move(latency)}};
  }
  return made;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "function/inspection/inspection_layout.h"
#include "function/inspection/stream_store.h"
#include "module/inspection/late_alerts.h"
#include "module/inspection/rule_tally.h"
#include "telemetry/report_part.h"

namespace packetwarp {

// The packets that rules have judged since the start.
struct inspection_totals {
  std::size_t rules{};  // read
  std::size_t usable{};
  inspection_verdicts verdicts{};
  inspection_counts packets{};
  stream_store::use streams{};  // that are followed now
  std::uint64_t read{};         // alerts that the master has read
  std::uint64_t lost{};         // alerts that found no room on their way to the master
  late_counts late{};
  std::uint64_t late_lost{};  // packets for the CPU to judge that found no room on their way to it
  std::size_t matched_rules{};
  std::vector<matched_rule> busiest{};

  void add(inspection_counts const& some);
};

[[nodiscard]] nlohmann::ordered_json json_of(inspection_totals const& totals);

class inspection_report final : public telemetry::report_part {
 public:
  explicit inspection_report(inspection_totals totals) : totals_{std::move(totals)} {}

  [[nodiscard]] std::string_view name() const override { return "inspect"; }
  [[nodiscard]] nlohmann::ordered_json object() const override;
  void add_metrics(telemetry::metrics_text& to) const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> numbers(std::size_t most) const override;
  // "inspect  12 alerts; 3 of 34 packets dropped, 0 rejected by 21 rules".
  [[nodiscard]] std::string line() const override;

 private:
  inspection_totals totals_;
};

}  // namespace packetwarp

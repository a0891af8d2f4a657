// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "feature/state_table.h"
#include "function/detect/detect_layout.h"
#include "module/detect/anomaly_watch.h"
#include "telemetry/report_part.h"

namespace packetwarp {

// The packets that models have judged since the start, and the records of flows and hosts.
struct detect_counts {
  struct model {
    std::string file{};
    double threshold{};
    std::uint64_t judged{};
    std::uint64_t anomalous{};
  };
  std::vector<model> models{};
  model large{};                  // without a file: there is none
  std::uint64_t followed{};       // packets with the verdict that the large model gave their flow
  std::uint64_t large_limited{};  // packets beyond its limit
  detect_action action{};
  std::string mirror_to{};         // the interface by which copies leave
  std::uint64_t mirror_limited{};  // packets beyond the limit of copies
  feature::table_counts flows{};
  feature::table_counts hosts{};
  event_counts events{};
  std::vector<anomalous_host> busiest{};
  std::vector<anomalous_flow> highest{};
};

[[nodiscard]] nlohmann::ordered_json json_of(detect_counts const& counts);

class detect_report final : public telemetry::report_part {
 public:
  explicit detect_report(detect_counts counts) : counts_{std::move(counts)} {}

  [[nodiscard]] std::string_view name() const override { return "detect"; }
  [[nodiscard]] nlohmann::ordered_json object() const override;
  void add_metrics(telemetry::metrics_text& to) const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> numbers(std::size_t most) const override;
  // "detect   12 of 34 packets called anomalous by flood.onnx, action drop". Not each of them has the action: the large
  // model has the last word on packets of uncertain flows, and actions have rates.
  [[nodiscard]] std::string line() const override;

 private:
  detect_counts counts_;
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/report_part.h"

namespace packetwarp {

// A flow rule: its line, its site, and its count if it counts.
struct rule_report {
  unsigned port{};
  std::string interface {};  // the port's name in the network's file
  std::uint32_t number{};
  std::size_t line{};  // of its file; 0: none, a flow command made it
  std::uint32_t group{}, priority{};
  std::string on{};   // nic, gpu or cpu
  std::string why{};  // why not the NIC, if the NIC was asked
  std::optional<std::uint64_t> hits{}, bytes{};
};

// All rules of a network in reports.
class rules_report final : public telemetry::report_part {
 public:
  explicit rules_report(std::vector<rule_report> rules) : rules_{std::move(rules)} {}

  [[nodiscard]] std::string_view name() const override { return "rules"; }
  [[nodiscard]] nlohmann::ordered_json object() const override;
  void add_metrics(telemetry::metrics_text& to) const override;
  // Hits by PORT/NUMBER, of rules that count.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> numbers(std::size_t most) const override;
  // "rules    10,006: 10,002 on nic, 4 on cpu".
  [[nodiscard]] std::string line() const override;
  // The rules that count, as many as a person can read; the JSON has all.
  [[nodiscard]] std::string table() const override;

 private:
  std::vector<rule_report> rules_;
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "telemetry/report_part.h"

namespace packetwarp {

// NAT44's sessions in reports.
struct nat_report final : telemetry::report_part {
  std::uint64_t udp{}, tcp{}, icmp{};  // now
  std::uint64_t configured{};          // of these
  std::uint64_t room{};
  std::uint64_t made{}, ended{};  // by packets, by time
  std::uint64_t evicted{};        // of the ended: before their time, for a new one to have room
  std::uint64_t untracked{};      // TCP connections that found no room to be known, so that their sessions stay
  std::uint64_t unlogged{};       // made or ended without a line: the journal was full, or the session log had no room
  std::uint64_t conflicts{};      // of a GPU that has failed: other sessions had their ports by then

  [[nodiscard]] std::uint64_t live() const { return udp + tcp + icmp; }

  [[nodiscard]] std::string_view name() const override { return "nat"; }
  [[nodiscard]] nlohmann::ordered_json object() const override;
  void add_metrics(telemetry::metrics_text& to) const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> numbers(std::size_t most) const override;
};

}  // namespace packetwarp

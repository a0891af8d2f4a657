// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/control_report.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp {
namespace {

// By class: packets that came to the control plane, or to a kernel interface straight from the data path, and packets
// for which it was full or that were limited.
[[nodiscard]] std::vector<telemetry::punt_class_report> classes_of(control_counters const& counters,
                                                                   data_plane const& plane, std::uint64_t straight) {
  std::vector<telemetry::punt_class_report> all;
  for (std::size_t n = 0; n < punt_classes; ++n) {
    all.push_back({.name = std::string{to_string(static_cast<punt_class>(n))}});
    for (auto const& p : plane.pipelines()) {
      all[n].full += p.counters().departures.punt_full[n].read();
      all[n].limited += p.counters().departures.punt_limited[n].read();
    }
  }
  for (std::size_t n = 0; n < counters.taken.size(); ++n) {
    all[static_cast<std::size_t>(class_of(static_cast<punt_reason>(n)))].taken += counters.taken[n].read();
  }
  all[static_cast<std::size_t>(punt_class::own_addresses)].taken += straight;
  return all;
}

}  // namespace

telemetry::control_report make_control_report(control_counters const& counters, data_plane const& plane) {
  telemetry::control_report said;
  for (std::size_t n = 0; n < counters.taken.size(); ++n) {
    auto const packets = counters.taken[n].read();
    if (packets != 0) telemetry::add_drops(said.punted, to_string(static_cast<punt_reason>(n)), packets);
  }
  std::uint64_t straight = 0;
  for (auto const& p : plane.pipelines()) {
    straight += p.counters().departures.to_kernel.read() + p.counters().arrivals.steered.read();
  }
  if (straight != 0) telemetry::add_drops(said.punted, to_string(punt_reason::to_kernel), straight);
  said.to_kernel = straight;
  said.classes = classes_of(counters, plane, straight);
  std::uint64_t full = 0;
  for (auto const* link : plane.twin_links()) {
    if (link == nullptr) continue;
    said.to_kernel += link->handed.packets.read();
    full += link->handed.full.read();
  }
  said.put_back = counters.put_back.read();
  for (std::size_t n = 0; n < counters.taken.size(); ++n) {
    said.punt_names.emplace_back(to_string(static_cast<punt_reason>(n)));
  }
  auto const drop = [&](std::string_view name, std::uint64_t packets) {
    said.drop_names.emplace_back(name);
    if (packets != 0) telemetry::add_drops(said.dropped, name, packets);
  };
  for (std::size_t n = 0; n < counters.dropped.size(); ++n) {
    drop(to_string(static_cast<control_drop>(n)), counters.dropped[n].read());
  }
  drop("no_kernel_interface", counters.no_kernel_interface.read());
  drop("rule_drop", counters.rule_drop.read());
  drop(data_path_drop_name(drop_reason::kernel_full), full);
  drop(no_room_name, counters.no_room.read());
  drop("shutdown", counters.shutdown.read() + counters.unsent.read());
  // Packets handed to the data path have left by then, or found no room in their port.
  std::uint64_t lost = 0;
  for (auto const& p : plane.pipelines()) {
    said.sent += p.counters().departures.control_sent.read();
    lost += p.counters().departures.control_lost.read();
  }
  drop("tx_full", lost);
  return said;
}

}  // namespace packetwarp

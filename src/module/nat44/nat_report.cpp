// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat_report.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace packetwarp {
namespace {

void add_number(telemetry::metrics_text& to, telemetry::family const& next, std::uint64_t value) {
  to.begin(next);
  to.sample({}, value);
}

}  // namespace

nlohmann::ordered_json nat_report::object() const {
  return {{"live", live()},
          {"udp", udp},
          {"tcp", tcp},
          {"icmp", icmp},
          {"configured", configured},
          {"room", room},
          {"made", made},
          {"ended", ended},
          {"evicted", evicted},
          {"untracked", untracked},
          {"unlogged", unlogged},
          {"conflicts", conflicts}};
}

void nat_report::add_metrics(telemetry::metrics_text& to) const {
  to.begin({"nat_sessions", "gauge", "NAT44's sessions, by protocol."});
  to.sample({{"protocol", "udp"}}, udp);
  to.sample({{"protocol", "tcp"}}, tcp);
  to.sample({{"protocol", "icmp"}}, icmp);
  add_number(to, {"nat_sessions_configured", "gauge", "Sessions of the configuration among these."}, configured);
  add_number(to, {"nat_sessions_room", "gauge", "The most sessions that the tables hold."}, room);
  add_number(to, {"nat_sessions_made", "counter", "Sessions made by packets."}, made);
  add_number(to, {"nat_sessions_ended", "counter", "Sessions that have ended."}, ended);
  add_number(to,
             {"nat_sessions_evicted", "counter",
              "Sessions among these that ended before their time, for a new one to have room."},
             evicted);
  add_number(to, {"nat_connections_untracked", "counter", "TCP connections that found no room to be known."},
             untracked);
  add_number(to, {"nat_sessions_unlogged", "counter", "Made or ended without a line in the session log."}, unlogged);
  add_number(to,
             {"nat_sessions_conflicts", "counter", "Sessions of a failed GPU whose ports other sessions had by then."},
             conflicts);
}

std::vector<std::pair<std::string, std::uint64_t>> nat_report::numbers(std::size_t most) const {
  std::vector<std::pair<std::string, std::uint64_t>> all{
      {"live", live()},           {"udp", udp},   {"tcp", tcp},   {"icmp", icmp},
      {"configured", configured}, {"room", room}, {"made", made}, {"ended", ended}};
  all.resize(std::min(all.size(), most));
  return all;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/anomaly_watch.h"

#include <algorithm>
#include <span>

namespace packetwarp {
namespace {

constexpr std::chrono::seconds recent{10};

}  // namespace

std::string_view to_string(anomalous_host::role as) {
  return as == anomalous_host::role::source ? "source" : "destination";
}

std::size_t anomaly_watch::host_hash::operator()(host_key const& key) const {
  constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;
  auto const mixed = ((key.high ^ key.low >> 32) * odd ^ key.low) * odd;
  return static_cast<std::size_t>((mixed ^ mixed >> 32) + static_cast<std::uint64_t>(key.as));
}

bool anomaly_watch::is_event(std::uint64_t flow, control_time now) {
  auto& told = flows_.use(flow).told;
  bool const made = !told || now - *told >= period_;
  if (made) told = now;
  ++(made ? counts_.told : counts_.repeated);
  return made;
}

void anomaly_watch::see(detect_parts::anomaly const& seen, std::string_view interface, deciding_model const& by,
                        control_time now) {
  bool const made = is_event(seen.flow, now);
  if (made && to_) to_(eve_line(seen, interface, by, std::chrono::system_clock::now()));
  if (seen.ip_version == 0) return;
  auto const score = score_of(seen, by);
  for (auto const as : {anomalous_host::role::source, anomalous_host::role::destination}) {
    bool const is_source = as == anomalous_host::role::source;
    auto const& address = is_source ? seen.source : seen.destination;
    auto& host = hosts_.use({.high = address.high, .low = address.low, .ip_version = seen.ip_version, .as = as});
    host.highest = host.packets == 0 ? score : std::max(host.highest, score);
    host.latest = score;
    host.packets += seen.packets;
    host.flows += made ? 1 : 0;
    host.peer = is_source ? seen.destination : seen.source;
    host.seen = now;
  }
}

std::vector<anomalous_host> anomaly_watch::busiest(std::size_t most, control_time now) const {
  std::vector<std::pair<host_key, host_state>> found;
  for (auto const& one : hosts_) {
    if (now - one.second.seen > recent) break;  // all others are older
    found.push_back(one);
  }
  most = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                    [](auto const& a, auto const& b) { return a.second.packets > b.second.packets; });
  std::vector<anomalous_host> made;
  for (auto const& [key, state] : std::span{found}.first(most)) {
    made.push_back({.as = key.as,
                    .address = address_text({key.high, key.low}, key.ip_version),
                    .packets = state.packets,
                    .flows = state.flows,
                    .highest = state.highest,
                    .latest = state.latest,
                    .peer = address_text(state.peer, key.ip_version)});
  }
  return made;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/anomaly_watch.h"

#include <algorithm>
#include <tuple>

namespace packetwarp {
namespace {

constexpr std::chrono::seconds recent{10};

// The first entries of a recent_table, in the order of `before`, among those with a record in the last seconds; `most`
// at most.
template <class Table, class Before>
[[nodiscard]] auto first_of_recent(Table const& table, std::size_t most, control_time now, Before const& before) {
  std::vector<typename Table::entry> found;
  for (auto const& one : table) {
    if (now - one.second.seen > recent) break;  // all others are older
    found.push_back(one);
  }
  most = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                    [&](auto const& a, auto const& b) { return before(a.second, b.second); });
  found.resize(most);
  return found;
}

}  // namespace

std::string_view to_string(anomalous_host::role as) {
  return as == anomalous_host::role::source ? "source" : "destination";
}

std::size_t anomaly_watch::host_hash::operator()(host_key const& key) const {
  constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;
  auto const mixed = ((key.high ^ key.low >> 32) * odd ^ key.low) * odd;
  return static_cast<std::size_t>((mixed ^ mixed >> 32) + static_cast<std::uint64_t>(key.as));
}

bool anomaly_watch::is_event(flow_state& flow, control_time now) {
  bool const made = !flow.told || now - *flow.told >= period_;
  if (made) flow.told = now;
  ++(made ? counts_.told : counts_.repeated);
  return made;
}

anomaly_watch::host_key anomaly_watch::key_of(detect_parts::anomaly const& seen, anomalous_host::role as) {
  auto const& address = as == anomalous_host::role::source ? seen.source : seen.destination;
  return {.high = address.high, .low = address.low, .ip_version = seen.ip_version, .as = as};
}

// The flow's first record has its endpoints. A flow that is not known any more has been silent for long.
void anomaly_watch::add_rest(detect_parts::anomaly const& seen) {
  auto* const flow = flows_.find(seen.flow);
  if (flow == nullptr) return;
  flow->packets += seen.packets;
  if (flow->first.ip_version == 0) return;
  for (auto const as : {anomalous_host::role::source, anomalous_host::role::destination}) {
    if (auto* const host = hosts_.find(key_of(flow->first, as))) host->packets += seen.packets;
  }
}

void anomaly_watch::see(detect_parts::anomaly const& seen, std::string_view interface, deciding_model const& by,
                        control_time now) {
  if ((seen.set & detect_parts::anomaly::rest) != 0) return add_rest(seen);
  auto const score = score_of(seen, by);
  auto& flow = flows_.use(seen.flow);
  bool const made = is_event(flow, now);
  if (flow.packets == 0) flow.first = seen;
  flow.highest = flow.packets == 0 ? score : std::max(flow.highest, score);
  flow.latest = score;
  flow.packets += seen.packets;
  flow.seen = now;
  if (made && to_) to_(eve_line(seen, interface, by, std::chrono::system_clock::now()));
  if (seen.ip_version == 0) return;
  for (auto const as : {anomalous_host::role::source, anomalous_host::role::destination}) {
    auto& host = hosts_.use(key_of(seen, as));
    host.highest = host.packets == 0 ? score : std::max(host.highest, score);
    host.latest = score;
    host.packets += seen.packets;
    host.flows += made ? 1 : 0;
    host.peer = as == anomalous_host::role::source ? seen.destination : seen.source;
    host.seen = now;
  }
}

std::vector<anomalous_host> anomaly_watch::busiest(std::size_t most, control_time now) const {
  std::vector<anomalous_host> made;
  auto const more_packets = [](auto const& a, auto const& b) { return a.packets > b.packets; };
  for (auto const& [key, state] : first_of_recent(hosts_, most, now, more_packets)) {
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

std::vector<anomalous_flow> anomaly_watch::highest(std::size_t most, control_time now) const {
  std::vector<anomalous_flow> made;
  // All frames that are not IP are one flow, which comes last and is left out.
  auto const rank = [](flow_state const& flow) {
    return std::tuple{flow.first.ip_version != 0, flow.highest, flow.packets};
  };
  auto const is_before = [&](auto const& a, auto const& b) { return rank(a) > rank(b); };
  for (auto const& [key, state] : first_of_recent(flows_, most, now, is_before)) {
    auto const& first = state.first;
    if (first.ip_version == 0) continue;
    bool const has_ports = first.has_ports != 0;
    made.push_back({.source = address_text(first.source, first.ip_version),
                    .destination = address_text(first.destination, first.ip_version),
                    .source_port = has_ports ? std::optional{first.source_port} : std::nullopt,
                    .destination_port = has_ports ? std::optional{first.destination_port} : std::nullopt,
                    .protocol = protocol_text(first),
                    .packets = state.packets,
                    .highest = state.highest,
                    .latest = state.latest});
  }
  return made;
}

}  // namespace packetwarp

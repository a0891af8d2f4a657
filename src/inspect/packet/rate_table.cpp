// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/rate_table.h"

#include "inspect/compiled/prefilter.h"
#include "inspect/language/rule.h"

namespace packetwarp::inspect {

std::size_t rate_table::hash_thing::operator()(thing const& of) const {
  std::uint64_t hash = std::uint64_t{of.place} << 8 | of.ip_version;
  for (auto const word : of.words) hash = window_hash(hash ^ word) * 0xff51'afd7'ed55'8ccd;
  return hash;
}

rate_table::thing rate_table::thing_of(compiled_rate const& rate, std::uint32_t place, inspected_packet const& packet,
                                       std::uint64_t flow) {
  thing made{{}, place, packet.ip_version};
  auto const put = [&](std::size_t at, wire::ipv6_address const& address) {
    made.words[at] = address.high;
    made.words[at + 1] = address.low;
  };
  switch (static_cast<rate_track>(rate.track)) {
    case rate_track::by_source:
      put(0, packet.source);
      break;
    case rate_track::by_destination:
      put(0, packet.destination);
      break;
    case rate_track::by_both:
      put(0, pair_of(packet).lower);
      put(2, pair_of(packet).upper);
      break;
    case rate_track::by_rule:
      break;
    case rate_track::by_flow:
      made.words[0] = flow;
      break;
  }
  return made;
}

bool rate_table::allows(compiled_rate const& rate, std::uint32_t place, inspected_packet const& packet,
                        std::uint64_t flow, std::uint64_t nanoseconds) {
  constexpr std::uint64_t per_second = 1'000'000'000;
  auto const kind = static_cast<rate_kind>(rate.kind);
  auto const key = thing_of(rate, place, packet, flow);
  auto found = counts_.find(key);
  if (found == counts_.end()) {
    if (counts_.size() >= most_) {
      ++without_place_;
      return kind != rate_kind::detection_filter;
    }
    found = counts_.try_emplace(key, count{nanoseconds, 0}).first;
  }
  auto& counted = found->second;
  bool const is_over = nanoseconds > counted.since && nanoseconds - counted.since > rate.seconds * per_second;
  if (is_over) counted = {nanoseconds, 0};
  ++counted.matches;
  switch (kind) {
    case rate_kind::limit:
      return counted.matches <= rate.count;
    case rate_kind::threshold:
      if (counted.matches < rate.count) return false;
      counted.matches = 0;
      return true;
    case rate_kind::both:
      return counted.matches == rate.count;
    case rate_kind::detection_filter:
      return counted.matches > rate.count;
  }
  return true;
}

}  // namespace packetwarp::inspect

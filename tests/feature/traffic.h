// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "feature/observe.h"
#include "fixtures/packet_builder.h"

namespace packetwarp::test::features {

using feature::place;
using row = std::array<std::int8_t, model::row_bytes>;

inline constexpr hash_key key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};

[[nodiscard]] inline feature::packet_facts facts_of(bytes const& frame) {
  auto const size = static_cast<std::uint32_t>(frame.size());
  return feature::facts_of(frame.data(), size, size);
}

[[nodiscard]] inline bytes udp_frame(std::string const& from, std::string const& to, unsigned source,
                                     unsigned destination, std::size_t payload = 18) {
  return packet_builder{}.eth().ipv4(from, to).udp(source, destination).payload(payload).build();
}
[[nodiscard]] inline bytes tcp_frame(std::string const& from, std::string const& to, unsigned source,
                                     unsigned destination, unsigned flags, std::size_t payload = 0) {
  return packet_builder{}.eth().ipv4(from, to).tcp(source, destination, flags).payload(payload).build();
}

// Facts without a frame: IPv4 hosts by number.
[[nodiscard]] inline feature::packet_facts udp_facts(std::uint32_t from, std::uint32_t to, std::uint16_t source,
                                                     std::uint16_t destination, std::uint32_t length = 60) {
  return {.source = {0, from},
          .destination = {0, to},
          .length = length,
          .source_port = source,
          .destination_port = destination,
          .ip_version = 4,
          .protocol = 17,
          .kind = feature::transport::udp,
          .has_ports = 1};
}

// The n-th packet of some traffic in which flows begin, go on and take each other's places in small tables. Some
// packets are to their own sender.
[[nodiscard]] inline feature::packet_facts packet_number(std::uint32_t n) {
  if (n % 11 == 0) return {.length = 60};  // no IP header
  auto const from = 1 + n % 700;
  return udp_facts(from, n % 13 == 0 ? from : 1 + n * 7 % 300, static_cast<std::uint16_t>(n % 50), 53, 60 + n % 900);
}

[[nodiscard]] inline feature::packet_facts icmp_error_facts(std::uint32_t from, std::uint32_t to) {
  auto facts = udp_facts(from, to, 0, 0);
  facts.protocol = 1;
  facts.kind = feature::transport::icmp;
  facts.role = feature::icmp_role::error;
  facts.has_ports = 0;
  return facts;
}

// Tables, and the packets that they have seen.
class pipeline {
 public:
  explicit pipeline(feature::state_sizes sizes = {.flows = 4096, .hosts = 4096}) : state_{sizes, key} {}

  row see(feature::packet_facts const& facts, std::uint64_t epoch) {
    row made;
    made.fill(-1);
    feature::observe(facts, epoch, state_.ref(), made.data());
    return made;
  }
  row see(bytes const& frame, std::uint64_t epoch) { return see(facts_of(frame), epoch); }

  [[nodiscard]] feature::state_ref const& ref() const { return state_.ref(); }

 private:
  feature::feature_state state_;
};

[[nodiscard]] inline int at(row const& of, place where) { return of[static_cast<std::size_t>(where)]; }

}  // namespace packetwarp::test::features

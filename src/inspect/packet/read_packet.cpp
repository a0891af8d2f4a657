// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/read_packet.h"

#include <algorithm>

#include "wire/parse.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] packet_kind kind_of(feature::transport kind) {
  switch (kind) {
    case feature::transport::tcp:
      return packet_kind::tcp;
    case feature::transport::udp:
      return packet_kind::udp;
    case feature::transport::icmp:
      return packet_kind::icmp;
    default:
      return packet_kind::other;
  }
}

}  // namespace

inspected_packet read_packet(std::span<std::byte const> frame, std::uint32_t length,
                             feature::packet_facts const& facts) {
  inspected_packet made;
  made.ip_version = facts.ip_version;
  if (facts.ip_version == 0) return made;
  auto const found = wire::parse(frame.data(), frame.size(), length);
  auto const* const ip = frame.data() + found.l3_offset;
  made.ttl = facts.ip_version == 4 ? wire::ipv4_view{ip}.ttl() : wire::ipv6_view{ip}.hop_limit();
  made.source = facts.source;
  made.destination = facts.destination;
  made.kind = kind_of(facts.kind);
  made.is_fragment = facts.is_fragment != 0;
  if (found.error != wire::parse_error::none || made.is_fragment) return made;
  made.source_port = facts.source_port;
  made.destination_port = facts.destination_port;
  made.tcp_flags = facts.tcp_flags;
  made.has_transport = found.l4 != wire::l4_kind::none && found.l4 != wire::l4_kind::other;
  if (made.kind == packet_kind::tcp && made.has_transport) {
    wire::tcp_view const tcp{frame.data() + found.l4_offset};
    made.sequence = tcp.sequence();
    made.acknowledgment = tcp.acknowledgment();
  }
  if (made.kind == packet_kind::icmp && made.has_transport) {
    made.icmp_type = static_cast<std::uint8_t>(frame[found.l4_offset]);
    made.icmp_code = static_cast<std::uint8_t>(frame[found.l4_offset + std::size_t{1}]);
  }
  auto const end = std::min<std::size_t>(found.end, frame.size());
  made.payload_length = static_cast<std::uint32_t>(found.end - found.payload_offset);
  if (end <= found.payload_offset) return made;
  made.payload = frame.data() + found.payload_offset;
  made.payload_size = static_cast<std::uint32_t>(end - found.payload_offset);
  return made;
}

std::uint64_t vlan_tags::number() const {
  constexpr unsigned bits = 12;
  std::uint64_t all = 0;
  for (std::uint32_t n = 0; n < count; ++n) all |= std::uint64_t{identifiers[n]} << (bits * n);
  return all;
}

vlan_tags vlans_of(std::span<std::byte const> frame) {
  vlan_tags made;
  wire::ethernet_view const ethernet{frame.data()};
  if (!ethernet.check_length(frame.size())) return made;
  auto type = ethernet.type();
  for (auto at = ethernet.header_length; wire::is_vlan_tag(type) && made.count < wire::max_vlan_tags;) {
    wire::vlan_view const tag{frame.data() + at};
    if (!tag.check_length(frame.size() - at)) break;
    made.identifiers[made.count++] = tag.id();
    type = tag.type();
    at += tag.header_length;
  }
  return made;
}

}  // namespace packetwarp::inspect

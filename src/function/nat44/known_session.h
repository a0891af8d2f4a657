// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "function/nat44/find_session.h"
#include "function/nat44/nat44_ref.h"
#include "function/router/admission.h"
#include "wire/checksum.h"
#include "wire/tcp.h"
#include "wire/udp.h"

// Most packets are UDP or TCP of a session that is there. Where its record is known before, what is left to do for them
// is little, and done in words, which a CPU keeps in registers. What does not fit is said so, with nothing done, and
// goes the way of all packets.
namespace packetwarp::nat {

// A packet's transport header, if that is UDP's or TCP's and all there.
struct plain_transport {
  std::byte* header;  // null: it is not
  transport kind;

  [[nodiscard]] HOST_DEVICE wire::udp_view<std::byte> ports() const {  // TCP's are in the same place
    return wire::udp_view<std::byte>{header};
  }
  [[nodiscard]] HOST_DEVICE std::uint8_t tcp_flags() const {
    return kind == transport::tcp ? wire::tcp_view{header}.flags() : std::uint8_t{0};
  }
};
[[nodiscard]] HOST_DEVICE inline plain_transport plain_transport_of(packet_view packet, wire::ipv4_view<std::byte> ip) {
  constexpr auto udp_length = static_cast<std::uint32_t>(wire::udp_view<std::byte>::header_length);
  constexpr auto tcp_length = static_cast<std::uint32_t>(wire::tcp_view<std::byte>::min_header_length);
  auto const protocol = ip.protocol();
  bool const is_udp = protocol == wire::ip_protocol::udp;
  if (!is_udp && protocol != wire::ip_protocol::tcp) return {nullptr, transport::none};
  auto const at = routing::ip_at + static_cast<std::uint32_t>(ip.header_length());
  auto const end = at + (is_udp ? udp_length : tcp_length);
  bool const is_whole = end <= packet.contiguous && end <= routing::ip_at + ip.total_length();
  return {is_whole ? packet.data + at : nullptr, is_udp ? transport::udp : transport::tcp};
}

// What a record says, if it is the session of a packet that goes this way from or to the endpoint; `other` is 0 else.
struct known_session {
  std::uint64_t other;  // key_of the endpoint on the other side
  life seen;
};
[[nodiscard, gnu::always_inline]] HOST_DEVICE inline known_session session_at(nat44_ref const& tables,
                                                                              std::uint32_t record, std::uint64_t key,
                                                                              direction way) {
  auto const keys = load_pair(&tables.sessions[record].inside);
  life const seen{load_pair(&tables.sessions[record].life).first};
  auto const own = way == direction::out ? keys.first : keys.second;
  auto const other = way == direction::out ? keys.second : keys.first;
  return {own == key && seen.is_live() ? other : 0, seen};
}

// What of a header one new endpoint changes.
struct endpoint_change {
  wire::checksum_update address;
  wire::checksum_update all;
};
[[nodiscard]] HOST_DEVICE inline endpoint_change change_of(std::uint64_t before, std::uint64_t after) {
  endpoint_change made;
  made.address.replace32(static_cast<std::uint32_t>(before >> 32), static_cast<std::uint32_t>(after >> 32));
  made.all.replace64(before, after);  // the transport is part of both, and adds nothing
  return made;
}
HOST_DEVICE inline void put_checksum(plain_transport at, wire::checksum_update const& change) {
  if (at.kind == transport::udp) {
    at.ports().set_checksum(change.apply_udp(at.ports().checksum()));
  } else {
    wire::tcp_view const tcp{at.header};
    tcp.set_checksum(change.apply(tcp.checksum()));
  }
}

// The endpoint of a packet's source or destination changes from one to another, and it has one hop less.
HOST_DEVICE inline void put_source(wire::ipv4_view<std::byte> ip, plain_transport at, std::uint64_t before,
                                   std::uint64_t after) {
  auto const change = change_of(before, after);
  put_checksum(at, change.all);
  at.ports().set_source_port(endpoint_of(after).port);
  ip.set_source(endpoint_of(after).address);
  ip.decrement_ttl(change.address);
}
HOST_DEVICE inline void put_destination(wire::ipv4_view<std::byte> ip, plain_transport at, std::uint64_t before,
                                        std::uint64_t after) {
  auto const change = change_of(before, after);
  put_checksum(at, change.all);
  at.ports().set_destination_port(endpoint_of(after).port);
  ip.set_destination(endpoint_of(after).address);
  ip.decrement_ttl(change.address);
}

}  // namespace packetwarp::nat

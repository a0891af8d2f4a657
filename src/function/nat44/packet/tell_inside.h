// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "feature/packet_facts.h"
#include "function/nat44/fault.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/packet/find_endpoint.h"
#include "function/nat44/packet/flow.h"
#include "routing/ip_packet.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"

namespace packetwarp::nat {

// The endpoints of a packet, as far as facts and headers tell them. An ICMP error has none: the packet within it may
// lie beyond the headers.
[[nodiscard]] HOST_DEVICE inline flow flow_of_facts(packet_view headers,
                                                    packetwarp::feature::packet_facts const& facts) {
  flow of;
  of.destination = {{static_cast<std::uint32_t>(facts.destination.low)}, facts.destination_port};
  if (facts.has_ports != 0)
    of.kind = facts.kind == packetwarp::feature::transport::tcp ? transport::tcp : transport::udp;
  if (facts.kind != packetwarp::feature::transport::icmp) return of;
  using message_view = wire::icmp_view<std::byte>;
  auto const at = routing::ip_at + static_cast<std::uint32_t>(routing::ipv4_of(headers).header_length());
  if (headers.contiguous < at + message_view::header_length || headers.length < at + message_view::header_length)
    return of;
  message_view const message{headers.data + at};
  if (role_of(message.type_number()) != icmp_role::query) return of;
  of.kind = transport::icmp;
  of.destination.port = message.identifier();
  return of;
}

// The inside endpoint of a packet to an outside address, which has this word of the map; its own destination if it is
// not translated. No filter is asked: it may know the sender only after the route. A call, because few packets of most
// chains need it.
[[nodiscard, gnu::noinline]] HOST_DEVICE inline endpoint inside_of(flow of, nat44_ref const& tables, std::uint32_t at) {
  auto const found = find_destination(tables, of, at, filter_turn::after_route);
  return found.wrong == fault::none ? found.to : of.destination;
}

// Gives the facts of a packet to an outside address its inside destination. The sessions of a fragment are found only
// once its datagram is together.
HOST_DEVICE inline void tell_inside(packet_view headers, packetwarp::feature::packet_facts& facts,
                                    nat44_ref const& tables) {
  if (facts.ip_version != 4 || facts.is_fragment != 0) return;
  auto const at = tables.outside_addresses.find({static_cast<std::uint32_t>(facts.destination.low)});
  // Frames with tags are not routed.
  if (at == 0 || wire::ethernet_view{headers.data}.type() != wire::ether_type::ipv4) return;
  auto const to = inside_of(flow_of_facts(headers, facts), tables, at);
  if (facts.has_ports != 0) facts.destination_port = to.port;
  facts.destination.low = to.address.number;
}

}  // namespace packetwarp::nat

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "function/nat44/packet/flow.h"
#include "wire/checksum.h"
#include "wire/ip_protocol.h"

// Puts new endpoints into a packet. Checksums are updated by the differences (RFC 1624), so that damage stays visible.
namespace packetwarp::nat {

struct endpoints {
  endpoint source;
  endpoint destination;
};

[[nodiscard]] HOST_DEVICE inline wire::checksum_update change_of_addresses(flow const& of, endpoints const& to) {
  wire::checksum_update change;
  change.replace32(of.source.address.number, to.source.address.number);
  change.replace32(of.destination.address.number, to.destination.address.number);
  return change;
}

// A query has one identifier for both of its ends. The translated end supplies it; if both are translated, the asking
// end does, because the answer comes back by it (RFC 5508, 3.1). asker: whether the flow's source is the end that asks.
enum class asker : std::uint8_t { source, destination };
[[nodiscard]] HOST_DEVICE constexpr std::uint16_t identifier_of(flow const& of, endpoints const& to, asker by) {
  if (to.source.address == of.source.address) return to.destination.port;
  if (to.destination.address == of.destination.address) return to.source.port;
  return by == asker::source ? to.source.port : to.destination.port;
}
[[nodiscard]] HOST_DEVICE constexpr bool is_answer(std::uint8_t icmp_type) {
  constexpr std::uint32_t answers = 1U << 0 | 1U << 14 | 1U << 16 | 1U << 18;
  return icmp_type <= 18 && (answers >> icmp_type & 1) != 0;
}

HOST_DEVICE inline void set_ports(std::byte* header, endpoint source, endpoint destination) {
  wire::udp_view const ports{header};
  ports.set_source_port(source.port);
  ports.set_destination_port(destination.port);
}

// Updates the transport header of a packet, whose pseudo header has changed from `of` to `to`.
HOST_DEVICE inline void put_transport(std::byte* header, flow const& of, endpoints const& to,
                                      wire::checksum_update change) {
  if (of.held_by == carrier::query) {
    wire::icmp_view const message{header};
    auto const by = is_answer(message.type_number()) ? asker::destination : asker::source;
    auto const identifier = identifier_of(of, to, by);
    wire::checksum_update own;  // ICMP has no pseudo header
    message.set_checksum(own.replace16(message.identifier(), identifier).apply(message.checksum()));
    message.set_identifier(identifier);
    return;
  }
  change.replace16(of.source.port, to.source.port).replace16(of.destination.port, to.destination.port);
  if (of.held_by == carrier::udp) {
    wire::udp_view const udp{header};
    udp.set_checksum(change.apply_udp(udp.checksum()));
  } else {
    wire::tcp_view const tcp{header};
    tcp.set_checksum(change.apply(tcp.checksum()));
  }
  set_ports(header, to.source, to.destination);
}

// Updates the transport header within an error, as far as the error has it; adds the change to `message`.
HOST_DEVICE inline void put_inner_transport(std::byte* header, std::uint32_t available, flow const& of,
                                            endpoints const& to, wire::checksum_update change,
                                            wire::checksum_update& message) {
  constexpr std::uint32_t with_tcp_checksum = 18;
  if (of.inner == carrier::address) return;
  if (of.inner == carrier::query) {
    wire::icmp_view const query{header};
    // The packet within went the other way.
    auto const by = is_answer(query.type_number()) ? asker::source : asker::destination;
    auto const identifier = identifier_of(of, to, by);
    auto const checksum = wire::checksum_update{}.replace16(query.identifier(), identifier).apply(query.checksum());
    message.replace16(query.identifier(), identifier).replace16(query.checksum(), checksum);
    query.set_identifier(identifier);
    query.set_checksum(checksum);
    return;
  }
  change.replace16(of.source.port, to.source.port).replace16(of.destination.port, to.destination.port);
  message.replace16(of.source.port, to.source.port).replace16(of.destination.port, to.destination.port);
  if (of.inner == carrier::udp) {
    wire::udp_view const udp{header};
    auto const checksum = change.apply_udp(udp.checksum());
    message.replace16(udp.checksum(), checksum);
    udp.set_checksum(checksum);
  } else if (available >= with_tcp_checksum) {
    wire::tcp_view const tcp{header};
    auto const checksum = change.apply(tcp.checksum());
    message.replace16(tcp.checksum(), checksum);
    tcp.set_checksum(checksum);
  }
  set_ports(header, to.destination, to.source);  // the packet within went the other way
}

// Updates the packet within an error, and the error's checksum (RFC 5508, REQ-4 and REQ-5).
HOST_DEVICE inline void put_inner(packet_view packet, flow const& of, endpoints const& to,
                                  wire::checksum_update const& change) {
  wire::ipv4_view const ip{packet.data + of.inner_at};
  auto const header = static_cast<std::uint32_t>(ip.header_length());
  auto message = change;
  auto const checksum = change.apply(ip.checksum());
  message.replace16(ip.checksum(), checksum);
  ip.set_checksum(checksum);
  ip.set_source(to.destination.address);
  ip.set_destination(to.source.address);
  put_inner_transport(packet.data + of.inner_at + header, of.end - of.inner_at - header, of, to, change, message);
  wire::icmp_view const error{packet.data + of.transport_at};
  error.set_checksum(message.apply(error.checksum()));
}

// The reporter may be a router on the way. From inside, its error leaves with the address of the endpoint that the
// error is about, because the router's own address means nothing outside (RFC 5508, REQ-5).
[[gnu::cold]] HOST_DEVICE inline void translate_error(packet_view packet, wire::ipv4_view<std::byte> ip, flow of,
                                                      endpoints to) {
  auto const reporter = ip.source();
  bool const is_hidden = !(of.source.address == to.source.address);
  auto const shown = is_hidden ? to.source.address : reporter;
  wire::checksum_update outer;
  outer.replace32(reporter.number, shown.number);
  outer.replace32(of.destination.address.number, to.destination.address.number);
  put_inner(packet, of, to, change_of_addresses(of, to));
  ip.set_source(shown);
  ip.set_destination(to.destination.address);
  ip.set_checksum(outer.apply(ip.checksum()));
}

// Updates the transport header of a protocol without sessions, for a static address: DCCP's and UDP-Lite's checksums
// cover the addresses (RFC 4340, 9.1; RFC 3828, 3.1). GRE, ESP, SCTP and others do not have them there.
[[gnu::cold]] HOST_DEVICE inline void put_sum_of_addresses(packet_view packet, wire::ip_protocol by, flow const& of,
                                                           wire::checksum_update change) {
  bool const has_sum = by == wire::ip_protocol::dccp || by == wire::ip_protocol::udp_lite;
  if (!has_sum || of.end < of.transport_at + wire::udp_view<std::byte>::header_length) return;
  // Both have it in the place of UDP's.
  wire::udp_view const header{packet.data + of.transport_at};
  header.set_checksum(change.apply(header.checksum()));
}

// Changes the packet's endpoints from `of` to `to`. The rest of the packet stays unchanged.
HOST_DEVICE inline void translate(packet_view packet, wire::ipv4_view<std::byte> ip, flow const& of,
                                  endpoints const& to) {
  if (of.held_by == carrier::error) {
    translate_error(packet, ip, of, to);
    return;
  }
  auto const change = change_of_addresses(of, to);
  if (of.held_by != carrier::address) {
    put_transport(packet.data + of.transport_at, of, to, change);
  } else {
    put_sum_of_addresses(packet, ip.protocol(), of, change);
  }
  ip.set_source(to.source.address);
  ip.set_destination(to.destination.address);
  ip.set_checksum(change.apply(ip.checksum()));
}

}  // namespace packetwarp::nat

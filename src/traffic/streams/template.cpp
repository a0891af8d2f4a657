// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0

#include "traffic/streams/template.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "wire/checksum.h"
#include "wire/icmp.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/udp.h"
#include "wire/vlan.h"

namespace packetwarp::traffic {
namespace {

using wire::ip_protocol;

struct transport_start {
  std::byte* at;
  std::size_t length;         // to the frame's end
  wire::internet_sum pseudo;  // of the IP header's addresses, the protocol and the length
};

std::size_t length_of(udp_layer const&) { return wire::udp_view<std::byte>::header_length; }
std::size_t length_of(tcp_layer const&) { return wire::tcp_view<std::byte>::min_header_length; }
std::size_t length_of(icmp_layer const&) { return wire::icmp_view<std::byte>::header_length; }
std::size_t length_of(ipv4_layer const&) { return wire::ipv4_view<std::byte>::min_header_length; }
std::size_t length_of(ipv6_layer const&) { return wire::ipv6_view<std::byte>::header_length; }

ip_protocol protocol_of(packet_template const& description) {
  if (std::holds_alternative<udp_layer>(description.transport)) return ip_protocol::udp;
  if (std::holds_alternative<tcp_layer>(description.transport)) return ip_protocol::tcp;
  return std::holds_alternative<ipv4_layer>(description.ip) ? ip_protocol::icmp : ip_protocol::icmpv6;
}

// Writes Ethernet and VLAN headers; returns the place for the IP header.
std::byte* write_link(packet_template const& description, std::byte* frame) {
  auto const behind =
      std::holds_alternative<ipv4_layer>(description.ip) ? wire::ether_type::ipv4 : wire::ether_type::ipv6;
  auto const& vlans = description.vlans;
  wire::ethernet_view const ethernet{frame};
  ethernet.set_source(description.ethernet.source);
  ethernet.set_destination(description.ethernet.destination);
  ethernet.set_type(vlans.empty() ? behind : vlans.front().type);
  std::byte* at = ethernet.payload();
  for (std::size_t i = 0; i < vlans.size(); ++i) {
    wire::vlan_view const tag{at};
    tag.set_id(vlans[i].id);
    tag.set_priority(vlans[i].priority);
    tag.set_type(i + 1 < vlans.size() ? vlans[i + 1].type : behind);
    at += wire::vlan_view<std::byte>::header_length;
  }
  return at;
}

transport_start write_ip(ipv4_layer const& layer, ip_protocol protocol, std::byte* at, std::size_t length) {
  wire::ipv4_view const ip{at};
  ip.set_header_length(ip.min_header_length);
  ip.set_dscp(layer.dscp);
  ip.set_total_length(static_cast<std::uint16_t>(length));
  ip.set_identification(layer.identification);
  ip.set_ttl(layer.ttl);
  ip.set_protocol(protocol);
  ip.set_source(layer.source);
  ip.set_destination(layer.destination);
  ip.fill_checksum();
  std::size_t const rest = ip.payload_length();
  return {ip.payload(), rest,
          wire::pseudo_header_sum(layer.source, layer.destination, protocol, static_cast<std::uint16_t>(rest))};
}

transport_start write_ip(ipv6_layer const& layer, ip_protocol protocol, std::byte* at, std::size_t length) {
  wire::ipv6_view const ip{at};
  std::size_t const rest = length - ip.header_length;
  ip.set_version_and_flow(layer.traffic_class, layer.flow_label);
  ip.set_payload_length(static_cast<std::uint16_t>(rest));
  ip.set_next_header(protocol);
  ip.set_hop_limit(layer.hop_limit);
  ip.set_source(layer.source);
  ip.set_destination(layer.destination);
  return {ip.payload(), rest,
          wire::pseudo_header_sum(layer.source, layer.destination, protocol, static_cast<std::uint32_t>(rest))};
}

void write_transport(udp_layer const& layer, transport_start start, ip_protocol) {
  wire::udp_view const udp{start.at};
  udp.set_source_port(layer.source_port);
  udp.set_destination_port(layer.destination_port);
  udp.set_length(static_cast<std::uint16_t>(start.length));
  udp.set_checksum(wire::udp_checksum_to_send(start.pseudo.add(start.at, start.length).checksum()));
}

void write_transport(tcp_layer const& layer, transport_start start, ip_protocol) {
  wire::tcp_view const tcp{start.at};
  tcp.set_source_port(layer.source_port);
  tcp.set_destination_port(layer.destination_port);
  tcp.set_sequence(layer.sequence);
  tcp.set_acknowledgment(layer.acknowledgment);
  tcp.set_header_length(tcp.min_header_length);
  tcp.set_flags(layer.flags);
  tcp.set_window(layer.window);
  tcp.set_checksum(start.pseudo.add(start.at, start.length).checksum());
}

void write_transport(icmp_layer const& layer, transport_start start, ip_protocol protocol) {
  wire::icmp_view const icmp{start.at};
  bool const is_v6 = protocol == ip_protocol::icmpv6;
  if (is_v6) {
    icmp.set_type(wire::icmpv6_type::echo_request);
  } else {
    icmp.set_type(wire::icmp_type::echo_request);
  }
  icmp.set_identifier(layer.identifier);
  icmp.set_sequence(layer.sequence);
  icmp.set_checksum((is_v6 ? start.pseudo : wire::internet_sum{}).add(start.at, start.length).checksum());
}

}  // namespace

std::size_t header_length(packet_template const& description) {
  auto const length = [](auto const& layer) { return length_of(layer); };
  return wire::ethernet_view<std::byte>::header_length +
         description.vlans.size() * wire::vlan_view<std::byte>::header_length + std::visit(length, description.ip) +
         std::visit(length, description.transport);
}

frame_size smallest_frame(packet_template const& description, std::size_t payload_bytes) {
  auto const needed = header_length(description) + payload_bytes + frame_size::check_sequence;
  return frame_size{static_cast<std::uint16_t>(std::max<std::size_t>(needed, frame_size::smallest))};
}

std::vector<std::byte> build_frame(packet_template const& description, frame_size size) {
  if (size.on_wire() < frame_size::smallest || size.on_wire() > frame_size::largest) {
    throw usage_error{
        fmt::format("frame size {}: must be {} to {} bytes (with the 4 bytes of the frame check sequence)",
                    size.on_wire(), frame_size::smallest, frame_size::largest)};
  }
  if (size < smallest_frame(description)) {
    throw usage_error{fmt::format("frame size {}: the headers of '{}' need {} bytes or more", size.on_wire(),
                                  to_text(description), smallest_frame(description).on_wire())};
  }
  std::vector<std::byte> frame(size.in_memory());
  std::size_t const headers = header_length(description);
  for (std::size_t i = headers; i < frame.size(); ++i) frame[i] = static_cast<std::byte>(i - headers);
  std::byte* const ip_at = write_link(description, frame.data());
  std::size_t const ip_length = frame.size() - static_cast<std::size_t>(ip_at - frame.data());
  ip_protocol const protocol = protocol_of(description);
  transport_start const start =
      std::visit([&](auto const& ip) { return write_ip(ip, protocol, ip_at, ip_length); }, description.ip);
  std::visit([&](auto const& transport) { write_transport(transport, start, protocol); }, description.transport);
  return frame;
}

}  // namespace packetwarp::traffic

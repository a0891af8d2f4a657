// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "traffic/streams/frame_size.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/tcp.h"

namespace packetwarp::traffic {

// The shape of every packet of a stream, as passive data. Ports are numbers in the machine's order.

struct ethernet_layer {
  wire::mac_address source{wire::mac_address::from_number(0x020000000001)};
  wire::mac_address destination{wire::mac_address::from_number(0x020000000002)};
  friend bool operator==(ethernet_layer const&, ethernet_layer const&) = default;
};

struct vlan_layer {
  std::uint16_t id{1};
  std::uint8_t priority{};
  wire::ether_type type{wire::ether_type::vlan};
  friend bool operator==(vlan_layer const&, vlan_layer const&) = default;
};

struct ipv4_layer {
  wire::ipv4_address source{0x0a000001};
  wire::ipv4_address destination{0x0a000002};
  std::uint8_t ttl{64};
  std::uint8_t dscp{};
  std::uint16_t identification{1};
  friend bool operator==(ipv4_layer const&, ipv4_layer const&) = default;
};

struct ipv6_layer {
  wire::ipv6_address source{0x20010db800000000, 1};
  wire::ipv6_address destination{0x20010db800000000, 2};
  std::uint8_t hop_limit{64};
  std::uint8_t traffic_class{};
  std::uint32_t flow_label{};
  friend bool operator==(ipv6_layer const&, ipv6_layer const&) = default;
};

struct udp_layer {
  std::uint16_t source_port{1000};
  std::uint16_t destination_port{2000};
  friend bool operator==(udp_layer const&, udp_layer const&) = default;
};

struct tcp_layer {
  std::uint16_t source_port{1000};
  std::uint16_t destination_port{2000};
  std::uint32_t sequence{1};
  std::uint32_t acknowledgment{};
  std::uint16_t window{8192};
  std::uint8_t flags{wire::tcp_flag::ack};
  friend bool operator==(tcp_layer const&, tcp_layer const&) = default;
};

// An echo request: ICMP over IPv4, ICMPv6 over IPv6.
struct icmp_layer {
  std::uint16_t identifier{1};
  std::uint16_t sequence{1};
  friend bool operator==(icmp_layer const&, icmp_layer const&) = default;
};

struct packet_template {
  ethernet_layer ethernet;
  std::vector<vlan_layer> vlans;  // outermost first, at most wire::max_vlan_tags
  std::variant<ipv4_layer, ipv6_layer> ip;
  std::variant<udp_layer, tcp_layer, icmp_layer> transport;
  friend bool operator==(packet_template const&, packet_template const&) = default;
};

// Bytes of all headers.
[[nodiscard]] std::size_t header_length(packet_template const& description);

// The smallest frame that has room for the headers and `payload_bytes` after them.
[[nodiscard]] frame_size smallest_frame(packet_template const& description, std::size_t payload_bytes = 0);

// The frame as it lies in memory, size.in_memory() bytes, with right lengths and checksums. The payload counts 0, 1, ..
// 255, 0, .. and fills the frame: it has no padding. Throws usage_error if the headers do not fit or the size is not a
// frame's.
[[nodiscard]] std::vector<std::byte> build_frame(packet_template const& description, frame_size size);

// "eth(src=02:00:00:00:00:01,dst=..)/vlan(id=5)/ipv4(src=10.0.0.1)/udp(dport=2000)", or the name of a preset: udp, tcp,
// icmp, udp6, vlan. Layers stand in the order of the packet; eth and parentheses may be left out; values that are left
// out are the defaults above. Throws usage_error; `option` names the source of the text.
[[nodiscard]] packet_template parse_template(std::string_view text, std::string_view option = "--template");

// The text with every value: parse_template(to_text(t)) == t.
[[nodiscard]] std::string to_text(packet_template const& description);

// The grammar in a few lines, for help pages.
[[nodiscard]] std::string template_help();

}  // namespace packetwarp::traffic

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <vector>

#include "fuzz/input.h"
#include "wire/address.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"
#include "wire/ipv4.h"
#include "wire/tcp.h"
#include "wire/udp.h"

// IPv4 packets made from a fuzzer's bytes: mostly sound, so that they reach the tested code, and with damage where a
// byte asks for it.
namespace packetwarp::fuzz {

using frame = std::vector<std::byte>;
using ipv4 = wire::ipv4_view<std::byte>;
inline constexpr std::size_t ip_at = 14;

struct endpoint {
  std::uint32_t address{};
  std::uint16_t port{};
};

[[nodiscard]] inline ipv4 ip_of(frame& packet) { return ipv4{packet.data() + ip_at}; }

[[nodiscard]] inline bool has_ipv4(frame& packet) {
  return packet.size() >= ip_at + ipv4::min_header_length &&
         wire::ethernet_view{packet.data()}.type() == wire::ether_type::ipv4 && ip_of(packet).version() == 4 &&
         ip_of(packet).check_length(packet.size() - ip_at);
}

// The sum of a transport with its pseudo header, if it has one.
[[nodiscard]] inline wire::internet_sum transport_sum(ipv4 ip) {
  auto const length = static_cast<std::uint16_t>(ip.payload_length());
  bool const has_pseudo_header = ip.protocol() != wire::ip_protocol::icmp;
  auto sum = has_pseudo_header ? wire::pseudo_header_sum(ip.source(), ip.destination(), ip.protocol(), length)
                               : wire::internet_sum{};
  return sum.add(ip.payload(), length);
}

// Whether all of a packet's checksums are right, if it has a whole transport header.
[[nodiscard]] inline bool is_sound(frame& packet) {
  if (!has_ipv4(packet) || !ip_of(packet).checksum_is_intact()) return false;
  auto const ip = ip_of(packet);
  if (ip.is_fragment()) return true;
  switch (ip.protocol()) {
    case wire::ip_protocol::udp:
      if (ip.payload_length() < 8) return false;
      return wire::udp_view{ip.payload()}.checksum() == 0 || transport_sum(ip).is_intact();
    case wire::ip_protocol::tcp:
      return ip.payload_length() >= 20 && transport_sum(ip).is_intact();
    case wire::ip_protocol::icmp:
      return ip.payload_length() >= 8 && transport_sum(ip).is_intact();
    default:
      return true;
  }
}

// Puts right checksums where headers are whole.
inline void mend(frame& packet) {
  if (!has_ipv4(packet)) return;
  auto const ip = ip_of(packet);
  ip.fill_checksum();
  if (ip.is_fragment()) return;
  if (ip.protocol() == wire::ip_protocol::udp && ip.payload_length() >= 8) {
    wire::udp_view const udp{ip.payload()};
    udp.set_checksum(0);
    udp.set_checksum(wire::udp_checksum_to_send(transport_sum(ip).checksum()));
  } else if (ip.protocol() == wire::ip_protocol::tcp && ip.payload_length() >= 20) {
    wire::tcp_view const tcp{ip.payload()};
    tcp.set_checksum(0);
    tcp.set_checksum(transport_sum(ip).checksum());
  } else if (ip.protocol() == wire::ip_protocol::icmp && ip.payload_length() >= 8) {
    wire::icmp_view const icmp{ip.payload()};
    icmp.set_checksum(0);
    icmp.set_checksum(transport_sum(ip).checksum());
  }
}

// An Ethernet and an IPv4 header, without checksums.
[[nodiscard]] inline frame begin_packet(wire::mac_address to, std::uint32_t source, std::uint32_t destination,
                                        wire::ip_protocol protocol, std::size_t payload, std::size_t options = 0) {
  frame made(ip_at + 20 + options + payload, std::byte{1});
  wire::store_mac(made.data(), to);
  wire::store_mac(made.data() + 6, wire::mac_address::from_number(0x02'00'00'00'00'99));
  wire::ethernet_view{made.data()}.set_type(wire::ether_type::ipv4);
  std::fill_n(made.begin() + ip_at, 20, std::byte{0});
  auto const ip = ip_of(made);
  ip.set_header_length(20 + options);
  ip.set_total_length(static_cast<std::uint16_t>(made.size() - ip_at));
  ip.set_ttl(64);
  ip.set_protocol(protocol);
  ip.set_source({source});
  ip.set_destination({destination});
  return made;
}

// A packet from one endpoint to another: the bytes choose transport, TCP flags, size, time to live, options, fragments
// and damage. Zeroes make a sound UDP packet.
[[nodiscard]] inline frame make_packet(input& bytes, wire::mac_address to, endpoint from, endpoint destination) {
  constexpr wire::ip_protocol protocols[]{wire::ip_protocol::udp, wire::ip_protocol::tcp, wire::ip_protocol::icmp,
                                          wire::ip_protocol{47}};
  constexpr std::uint8_t flags[]{wire::tcp_flag::syn, wire::tcp_flag::ack, wire::tcp_flag::syn | wire::tcp_flag::ack,
                                 wire::tcp_flag::fin | wire::tcp_flag::ack, wire::tcp_flag::rst};
  constexpr std::uint8_t icmp_types[]{8, 0, 13, 3, 11, 5};
  constexpr std::uint16_t fragments[]{0, 0, 0, 0x4000, 0x2000, 0x2002, 2, 0x1fff};
  constexpr std::uint8_t lives[]{64, 64, 64, 2, 1, 0};
  auto const protocol = bytes.one_of(protocols);
  auto const shape = bytes.byte();
  std::size_t const options = (shape & 7U) == 7 ? 8 : 0;
  std::size_t const header = protocol == wire::ip_protocol::tcp ? 20 : 8;
  auto made = begin_packet(to, from.address, destination.address, protocol, header + (shape >> 3 & 31U), options);
  auto const ip = ip_of(made);
  std::fill_n(ip.payload(), header, std::byte{0});
  ip.set_ttl(bytes.one_of(lives));
  ip.set_fragment_word(bytes.one_of(fragments));
  ip.set_identification(shape);
  auto const detail = bytes.byte();
  if (protocol == wire::ip_protocol::udp || protocol == wire::ip_protocol::tcp) {
    wire::udp_view const ports{ip.payload()};
    ports.set_source_port(from.port);
    ports.set_destination_port(destination.port);
  }
  if (protocol == wire::ip_protocol::udp) {
    wire::udp_view{ip.payload()}.set_length(static_cast<std::uint16_t>(ip.payload_length()));
  } else if (protocol == wire::ip_protocol::tcp) {
    ip.payload()[12] = std::byte{0x50};
    ip.payload()[13] = std::byte{flags[detail % std::size(flags)]};
  } else if (protocol == wire::ip_protocol::icmp) {
    wire::icmp_view const message{ip.payload()};
    message.set_type(wire::icmp_type{icmp_types[detail % std::size(icmp_types)]});
    message.set_identifier(from.port);
  }
  mend(made);
  bool const has_no_checksum = protocol == wire::ip_protocol::udp && (detail & 1U) != 0;
  if (has_no_checksum && !ip.is_fragment()) wire::udp_view{ip.payload()}.set_checksum(0);
  // Damage: a byte that is another one, or an end that is cut off.
  auto const harm = bytes.byte();
  if (harm >= 0xf0) made[made.size() * bytes.byte() / 256] ^= std::byte{bytes.byte()};
  if (harm >= 0xe0 && harm < 0xf0) made.resize(made.size() * bytes.byte() / 256);
  return made;
}

// A peer's answer to a packet: the same back. The router's address as `to`.
[[nodiscard]] inline frame make_answer(frame asked, wire::mac_address to) {
  auto const ip = ip_of(asked);
  wire::store_mac(asked.data(), to);
  auto const source = ip.source();
  ip.set_source(ip.destination());
  ip.set_destination(source);
  ip.set_ttl(64);
  if (ip.is_fragment()) {
    ip.fill_checksum();
    return asked;
  }
  bool const has_ports = ip.protocol() == wire::ip_protocol::udp || ip.protocol() == wire::ip_protocol::tcp;
  if (has_ports && ip.payload_length() >= 8) {
    wire::udp_view const ports{ip.payload()};
    auto const port = ports.source_port();
    ports.set_source_port(ports.destination_port());
    ports.set_destination_port(port);
  }
  if (ip.protocol() == wire::ip_protocol::icmp && ip.payload_length() >= 8) {
    wire::icmp_view const message{ip.payload()};
    if (message.type() == wire::icmp_type::echo_request) message.set_type(wire::icmp_type::echo_reply);
  }
  mend(asked);
  return asked;
}

// An error of a router on the way about a packet: an ICMP error that holds its beginning.
[[nodiscard]] inline frame make_error(input& bytes, frame& about, wire::mac_address to, std::uint32_t reporter) {
  constexpr std::uint8_t types[]{3, 11, 12, 4, 5};
  auto const type = bytes.one_of(types);
  auto const code = static_cast<std::uint8_t>(bytes.below(5));
  auto const held = std::min<std::size_t>(about.size() - ip_at, 20 + bytes.below(64));
  auto made = begin_packet(to, reporter, ip_of(about).source().number, wire::ip_protocol::icmp, 8 + held);
  auto* const message = made.data() + ip_at + 20;
  std::fill_n(message, 8, std::byte{0});
  wire::icmp_view{message}.set_type(wire::icmp_type{type});
  wire::icmp_view{message}.set_code(code);
  std::memcpy(message + 8, about.data() + ip_at, held);
  mend(made);
  return made;
}

}  // namespace packetwarp::fuzz

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/icmp_error.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "address/address_kind.h"
#include "control/new_packet.h"
#include "routing/ip_packet.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"
#include "wire/ipv6_extension.h"

namespace packetwarp {
namespace {

using routing::ip_at;
using ipv4 = wire::ipv4_view<std::byte>;
using ipv6 = wire::ipv6_view<std::byte>;
using icmp = wire::icmp_view<std::byte>;

struct type_and_code {
  std::uint8_t type;
  std::uint8_t code;
};

[[nodiscard]] type_and_code of_ipv4(icmp_error what) {
  constexpr auto unreachable = static_cast<std::uint8_t>(wire::icmp_type::destination_unreachable);
  switch (what) {
    case icmp_error::time_exceeded:
      return {static_cast<std::uint8_t>(wire::icmp_type::time_exceeded), 0};
    case icmp_error::host_unreachable:
      return {unreachable, 1};
    case icmp_error::too_big:
      return {unreachable, 4};
    default:
      return {unreachable, 0};
  }
}

[[nodiscard]] type_and_code of_ipv6(icmp_error what) {
  switch (what) {
    case icmp_error::time_exceeded:
      return {static_cast<std::uint8_t>(wire::icmpv6_type::time_exceeded), 0};
    case icmp_error::host_unreachable:
      return {static_cast<std::uint8_t>(wire::icmpv6_type::destination_unreachable), 3};
    case icmp_error::too_big:
      return {static_cast<std::uint8_t>(wire::icmpv6_type::packet_too_big), 0};
    default:
      return {static_cast<std::uint8_t>(wire::icmpv6_type::destination_unreachable), 0};
  }
}

// For ICMP, queries and their answers only: an unknown type might be an error.
[[nodiscard]] bool is_query(std::uint8_t type) {
  constexpr std::uint8_t first_timestamp = 13;  // timestamp, information and address mask: 13 to 18
  return type == static_cast<std::uint8_t>(wire::icmp_type::echo_request) ||
         type == static_cast<std::uint8_t>(wire::icmp_type::echo_reply) ||
         (type >= first_timestamp && type <= first_timestamp + 5);
}

[[nodiscard]] bool may_answer_ipv4(rte_mbuf& about) {
  ipv4 const ip{bytes_at(about, ip_at)};
  if (ip.fragment_offset() != 0) return false;
  if (routing::is_martian_source(ip.source()) || routing::is_group(ip.destination())) return false;
  if (ip.protocol() != wire::ip_protocol::icmp) return true;
  std::byte type[1];
  return read_bytes(about, ip_at + ip.header_length(), type) && is_query(static_cast<std::uint8_t>(type[0]));
}

// The bytes of an authentication header (RFC 4302, 2.2).
[[nodiscard]] std::size_t authentication_length(std::byte const* header) {
  return (wire::load_be<std::uint8_t>(header + 1) + std::size_t{2}) * 4;
}

// The walk to the message that a packet carries. An authentication header may stand before an error, as extension
// headers may.
[[nodiscard]] wire::ipv6_walk walk_to_message(rte_mbuf& about) {
  ipv6 const ip{bytes_at(about, ip_at)};
  auto const behind = std::min<std::size_t>(ip.payload_length(), about.data_len - ip_at - ip.header_length);
  auto walk = wire::walk_ipv6_extensions(ip.payload(), behind, ip.next_header());
  for (unsigned count = 0; count < wire::max_ipv6_extensions; ++count) {
    bool const is_whole = walk.ended == wire::ipv6_walk::outcome::complete && walk.fragment_offset == 0;
    if (!is_whole || walk.protocol != wire::ip_protocol::ah) return walk;
    auto const* const header = ip.payload() + walk.offset;
    std::size_t const left = behind - walk.offset;
    if (left < 2 || left < authentication_length(header)) break;
    auto const end = walk.offset + static_cast<std::uint32_t>(authentication_length(header));
    auto const next = wire::ip_protocol{wire::load_be<std::uint8_t>(header)};
    walk = wire::walk_ipv6_extensions(ip.payload() + end, behind - end, next);
    walk.offset += end;
  }
  walk.ended = wire::ipv6_walk::outcome::truncated;
  return walk;
}

// Later fragments have no exception, as they have in ICMPv4: without an error about them, path MTU discovery would fail
// (RFC 4443, 3.2). Their message is not known.
[[nodiscard]] bool may_answer_ipv6(rte_mbuf& about, icmp_error what) {
  ipv6 const ip{bytes_at(about, ip_at)};
  if (routing::is_martian_source(ip.source())) return false;
  if (routing::is_group(ip.destination()) && what != icmp_error::too_big) return false;
  auto const walk = walk_to_message(about);
  if (walk.ended != wire::ipv6_walk::outcome::complete) return false;
  if (walk.protocol != wire::ip_protocol::icmpv6 || walk.fragment_offset != 0) return true;
  std::byte type[1];
  constexpr std::uint8_t first_informational = 128;
  return read_bytes(about, ip_at + ip.header_length + walk.offset, type) &&
         static_cast<std::uint8_t>(type[0]) >= first_informational &&
         static_cast<std::uint8_t>(type[0]) != routing::redirect_v6;
}

// Writes the message: its header, and after it as much of the packet as fits.
[[nodiscard]] bool write_message(std::byte* at, type_and_code kind, std::uint32_t rest, rte_mbuf const& about,
                                 std::size_t quoted) {
  wire::store_be<std::uint8_t>(at, kind.type);
  wire::store_be<std::uint8_t>(at + 1, kind.code);
  wire::store_be<std::uint32_t>(at + 4, rest);
  return read_bytes(about, ip_at, {at + icmp::header_length, quoted});
}

void finish_ipv4(ipv4 ip, wire::ipv4_address from, wire::ipv4_address to, std::size_t length,
                 std::uint16_t identification) {
  constexpr std::uint8_t internetwork_control = 48;  // DSCP CS6: RFC 1812, 4.3.2.5 asks for precedence 6
  ip.set_header_length(ipv4::min_header_length);
  ip.set_dscp(internetwork_control);
  ip.set_total_length(static_cast<std::uint16_t>(length));
  ip.set_identification(identification);
  ip.set_ttl(routing::first_hops);
  ip.set_protocol(wire::ip_protocol::icmp);
  ip.set_source(from);
  ip.set_destination(to);
  ip.fill_checksum();
  icmp const message{ip.payload()};
  message.set_checksum(wire::internet_sum{}.add(ip.payload(), ip.payload_length()).checksum());
}

void finish_ipv6(ipv6 ip, wire::ipv6_address from, wire::ipv6_address to, std::size_t payload) {
  ip.set_version_and_flow(0, 0);
  ip.set_payload_length(static_cast<std::uint16_t>(payload));
  ip.set_next_header(wire::ip_protocol::icmpv6);
  ip.set_hop_limit(routing::first_hops);
  ip.set_source(from);
  ip.set_destination(to);
  auto sum = wire::pseudo_header_sum(from, to, wire::ip_protocol::icmpv6, static_cast<std::uint32_t>(payload));
  icmp{ip.payload()}.set_checksum(sum.add(ip.payload(), payload).checksum());
}

}  // namespace

bool may_answer_by_icmp(rte_mbuf& about, icmp_error what) {
  if (about.data_len < ip_at || wire::ethernet_view{bytes_at(about)}.destination().is_group()) return false;
  routing::ip_version const version = wire::ethernet_view{bytes_at(about)}.type() == wire::ether_type::ipv6
                                          ? routing::ip_version::ipv6
                                          : routing::ip_version::ipv4;
  packet_view const view{bytes_at(about), about.data_len, about.pkt_len};
  if (version == routing::ip_version::ipv6) {
    return routing::check_ipv6(view) == routing::fault::none && may_answer_ipv6(about, what);
  }
  return routing::check_ipv4(view) == routing::fault::none && may_answer_ipv4(about);
}

rte_mbuf* make_icmp_error(rte_mempool& pool, rte_mbuf& about, icmp_error what, ip_address const& source,
                          std::uint16_t mtu, std::uint16_t identification) {
  auto const* const from4 = std::get_if<wire::ipv4_address>(&source);
  std::size_t const header = from4 != nullptr ? ipv4::min_header_length : ipv6::header_length;
  std::size_t const longest = from4 != nullptr ? 576 : 1280;
  auto const* const ip_bytes = bytes_at(about, ip_at);
  std::size_t const about_length = from4 != nullptr ? wire::ipv4_view{ip_bytes}.total_length()
                                                    : ipv6::header_length + wire::ipv6_view{ip_bytes}.payload_length();
  std::size_t const quoted = std::min(about_length, longest - header - icmp::header_length);
  auto* const made = new_packet(pool, ip_at + header + icmp::header_length + quoted);
  if (made == nullptr) return nullptr;
  auto* const ip = bytes_at(*made, ip_at);
  auto const kind = from4 != nullptr ? of_ipv4(what) : of_ipv6(what);
  if (!write_message(ip + header, kind, what == icmp_error::too_big ? mtu : 0, about, quoted)) {
    rte_pktmbuf_free(made);
    return nullptr;
  }
  std::size_t const payload = icmp::header_length + quoted;
  if (from4 != nullptr) {
    finish_ipv4(ipv4{ip}, *from4, wire::ipv4_view{ip_bytes}.source(), header + payload, identification);
    wire::ethernet_view{bytes_at(*made)}.set_type(wire::ether_type::ipv4);
  } else {
    finish_ipv6(ipv6{ip}, std::get<wire::ipv6_address>(source), wire::ipv6_view{ip_bytes}.source(), payload);
    wire::ethernet_view{bytes_at(*made)}.set_type(wire::ether_type::ipv6);
  }
  return made;
}

bool token_bucket::take(control_time now) {
  auto const passed = static_cast<std::uint64_t>(std::max<control_time::rep>((now - last_).count(), 0));
  last_ = now;
  // Only the time that fills the bucket matters: the product of long times would overflow.
  left_ = per_second_ != 0 && passed > (most_ - left_) / per_second_ ? most_ : left_ + passed * per_second_;
  if (left_ < one) return false;
  left_ -= one;
  return true;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/multicast/listener_message.h"

#include <algorithm>
#include <chrono>

#include "address/address_kind.h"
#include "control/multicast/group_address.h"
#include "control/new_packet.h"
#include "routing/ip_packet.h"
#include "routing/listener_query.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"
#include "wire/ipv6.h"

namespace packetwarp {
namespace {

using routing::ip_at;
using ipv6 = wire::ipv6_view<std::byte>;
using icmp = wire::icmp_view<std::byte>;

constexpr std::size_t options_length = 8;
// In a query: the maximum response code and the group.
constexpr std::size_t delay_at = 4;
constexpr std::size_t group_at = 8;
constexpr std::uint8_t report_v1 = 131;
constexpr std::uint8_t report_v2 = 143;
constexpr std::size_t record_length = 20;
constexpr std::size_t records_at_once = 60;  // 1256 bytes of IPv6: within the MTU of every link
// Kinds of records (RFC 3810, 5.2.12): all sources are welcome, since before or from now on.
constexpr std::uint8_t is_exclude = 2;
constexpr std::uint8_t to_exclude = 4;

// RFC 3810, 5.1.3. A number of version 1 below 32768 means the same.
[[nodiscard]] std::chrono::milliseconds delay_of(std::uint16_t code) {
  constexpr unsigned floating = 0x8000;
  if (code < floating) return std::chrono::milliseconds{code};
  return std::chrono::milliseconds{((code & 0xfffU) | 0x1000U) << ((code >> 12 & 7U) + 3)};
}

[[nodiscard]] wire::internet_sum sum_of(ipv6 ip, std::byte const* message, std::size_t length) {
  auto sum = wire::pseudo_header_sum(ip.source(), ip.destination(), wire::ip_protocol::icmpv6,
                                     static_cast<std::uint32_t>(length));
  return sum.add(message, length);
}

// A packet with an empty message of this type and length. nullptr if the pool is empty.
[[nodiscard]] rte_mbuf* new_message(rte_mempool& pool, listener const& from, wire::ipv6_address to, std::uint8_t type,
                                    std::size_t length) {
  auto* const made = new_packet(pool, ip_at + ipv6::header_length + options_length + length);
  if (made == nullptr) return nullptr;
  write_ethernet(bytes_at(*made), groups::mac_of(to), from.mac, wire::ether_type::ipv6);
  ipv6 const ip{bytes_at(*made, ip_at)};
  ip.set_version_and_flow(0, 0);
  ip.set_payload_length(static_cast<std::uint16_t>(options_length + length));
  ip.set_next_header(wire::ip_protocol::hop_by_hop);
  ip.set_hop_limit(1);
  ip.set_source(from.link_local);
  ip.set_destination(to);
  // ICMPv6 follows; the router alert option, and two bytes of padding.
  wire::store_be<std::uint16_t>(ip.payload(), static_cast<std::uint16_t>(wire::ip_protocol::icmpv6) << 8);
  wire::store_be<std::uint32_t>(ip.payload() + 2, 0x0502'0000);
  wire::store_be<std::uint16_t>(ip.payload() + 6, 0x0100);
  icmp{ip.payload() + options_length}.set_type(static_cast<wire::icmpv6_type>(type));
  return made;
}

[[nodiscard]] std::byte* message_of(rte_mbuf& made) {
  return bytes_at(made, ip_at + ipv6::header_length + options_length);
}

void finish(rte_mbuf& made) {
  ipv6 const ip{bytes_at(made, ip_at)};
  auto* const message = message_of(made);
  icmp{message}.set_checksum(sum_of(ip, message, ip.payload_length() - options_length).checksum());
}

[[nodiscard]] rte_mbuf* make_report_v1(rte_mempool& pool, listener const& from, wire::ipv6_address group) {
  auto* const made = new_message(pool, from, group, report_v1, routing::listener_query_v1_length);
  if (made == nullptr) return nullptr;
  wire::store_ipv6_address(message_of(*made) + group_at, group);
  finish(*made);
  return made;
}

[[nodiscard]] rte_mbuf* make_report_v2(rte_mempool& pool, listener const& from, std::uint8_t kind,
                                       std::span<wire::ipv6_address const> groups) {
  auto const length = icmp::header_length + groups.size() * record_length;
  auto* const made = new_message(pool, from, groups::all_listener_routers, report_v2, length);
  if (made == nullptr) return nullptr;
  auto* at = message_of(*made);
  wire::store_be<std::uint16_t>(at + 6, static_cast<std::uint16_t>(groups.size()));
  at += icmp::header_length;
  for (auto const group : groups) {
    wire::store_be<std::uint8_t>(at, kind);
    wire::store_ipv6_address(at + 4, group);
    at += record_length;
  }
  finish(*made);
  return made;
}

}  // namespace

std::optional<listener_query> read_listener_query(rte_mbuf& frame) {
  constexpr std::size_t headers = 128;
  if (!pull_up(frame, std::min<std::size_t>(frame.pkt_len, headers))) return std::nullopt;
  packet_view view{bytes_at(frame), frame.data_len, frame.pkt_len};
  if (!routing::listener_query_at(view) || routing::check_ipv6(view) != routing::fault::none) return std::nullopt;
  if (!pull_up(frame, frame.pkt_len)) return std::nullopt;
  view = {bytes_at(frame), frame.data_len, frame.pkt_len};
  ipv6 const ip{bytes_at(frame, ip_at)};
  auto const* const message = view.data + *routing::listener_query_at(view);
  std::size_t const all = ip.payload_length();
  auto const length = all < options_length ? 0 : all - options_length;
  bool const is_v1 = length == routing::listener_query_v1_length;
  if (!is_v1 && length < routing::listener_query_v2_length) return std::nullopt;
  if (wire::load_be<std::uint8_t>(message + 1) != 0 || !sum_of(ip, message, length).is_intact()) return std::nullopt;
  auto const code = wire::load_be<std::uint16_t>(message + delay_at);
  listener_query const read{.most = is_v1 ? std::chrono::milliseconds{code} : delay_of(code),
                            .group = wire::load_ipv6_address(message + group_at),
                            .wanted = is_v1 ? listener_report::current_v1 : listener_report::current};
  bool const is_general = read.group == wire::ipv6_address{};
  return is_general || routing::is_group(read.group) ? std::optional{read} : std::nullopt;
}

std::vector<rte_mbuf*> make_listener_reports(rte_mempool& pool, listener const& from, listener_report form,
                                             std::span<wire::ipv6_address const> groups) {
  std::vector<rte_mbuf*> made;
  auto const keep = [&](rte_mbuf* one) {
    if (one != nullptr) made.push_back(one);
  };
  if (form == listener_report::current_v1) {
    for (auto const group : groups) keep(make_report_v1(pool, from, group));
    return made;
  }
  auto const kind = form == listener_report::joined ? to_exclude : is_exclude;
  while (!groups.empty()) {
    auto const some = groups.first(std::min(groups.size(), records_at_once));
    keep(make_report_v2(pool, from, kind, some));
    groups = groups.subspan(some.size());
  }
  return made;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/arp.h"

#include "control/new_packet.h"

namespace packetwarp {
namespace {

using arp = wire::arp_view<std::byte>;
using ethernet = wire::ethernet_view<std::byte>;
constexpr std::size_t frame_length = ethernet::header_length + arp::header_length;
constexpr std::size_t shortest_frame = 60;  // without FCS: the rest is padding

}  // namespace

std::optional<arp_message> read_arp(rte_mbuf& frame) {
  if (!pull_up(frame, frame_length)) return std::nullopt;
  arp const message{bytes_at(frame, ethernet::header_length)};
  bool const is_known =
      message.operation() == wire::arp_operation::request || message.operation() == wire::arp_operation::reply;
  auto const sender = message.sender_mac();
  if (!message.is_ipv4_over_ethernet() || !is_known || sender.is_group() || sender.number() == 0) return std::nullopt;
  return arp_message{message.operation(), sender, message.sender_ip(), message.target_ip()};
}

void turn_into_arp_reply(rte_mbuf& request, wire::mac_address const& own) {
  arp const message{bytes_at(request, ethernet::header_length)};
  auto const asked_for = message.target_ip();
  auto const asker = message.sender_mac();
  message.set_operation(wire::arp_operation::reply);
  message.set_target(asker, message.sender_ip());
  message.set_sender(own, asked_for);
  write_ethernet(bytes_at(request), asker, own, wire::ether_type::arp);
}

rte_mbuf* make_arp_request(rte_mempool& pool, wire::mac_address const& own, wire::ipv4_address source,
                           wire::ipv4_address target, std::optional<wire::mac_address> last_known) {
  auto* const made = new_packet(pool, shortest_frame);
  if (made == nullptr) return nullptr;
  auto const everyone = wire::mac_address::from_number(0xffff'ffff'ffff);
  write_ethernet(bytes_at(*made), last_known.value_or(everyone), own, wire::ether_type::arp);
  arp const message{bytes_at(*made, ethernet::header_length)};
  message.set_ipv4_over_ethernet();
  message.set_operation(wire::arp_operation::request);
  message.set_sender(own, source);
  message.set_target({}, target);
  return made;
}

}  // namespace packetwarp

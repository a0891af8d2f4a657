// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "address/interface_index.h"
#include "address/ip_address.h"
#include "address/neighbour.h"
#include "burst/verdict.h"
#include "control/action.h"
#include "control/announcement.h"
#include "control/claimed_addresses.h"
#include "control/icmp_error.h"
#include "control/multicast/listener_reports.h"
#include "control/neighbour_cache.h"
#include "control/neighbour_discovery.h"
#include "control/reassembler.h"
#include "routing/router_table.h"

namespace packetwarp {

struct control_settings {
  neighbour_settings neighbours;
  reassembly_settings fragments;
  // The limit for each interface by which packets come in, and for each kind of error: a flood of packets out of hops
  // takes nothing from path MTU discovery, nor from other interfaces (RFC 1812, 4.3.2.8; RFC 4443, 2.4 f).
  std::uint32_t icmp_errors_per_second{1000};
  std::uint32_t icmp_errors_at_once{50};
  announcement_settings announcements{};
  // Interfaces with a kernel interface beside them: the kernel asks for MAC addresses itself, and must see the answers,
  // and other hosts' questions to it.
  std::vector<interface_index> with_twin{};
};

// The part of a function beyond routing, for packets that the control plane answers or holds. The router needs none.
struct control_hooks {
  // The address that a punted IPv4 packet will go to after the function's work: nat44 gives the address inside.
  std::function<wire::ipv4_address(rte_mbuf& packet, interface_index ingress)> destination;
};

// Finishes packets that a function punts: answers ARP, neighbour discovery and multicast listener queries, learns and
// asks for neighbours, sends ICMP errors, fragments, reassembles. Pure packet work: no ports and no threads; the caller
// moves the packets as the actions say and gives the time. Every packet that comes in goes out once, at once or later,
// in the actions. A single thread, which owns the router's tables, and commits them after a change.
class control_plane {
 public:
  // tables, pool: outlive it. Its own packets come from the pool.
  control_plane(router_table& tables, rte_mempool& pool, control_settings const& settings = {},
                control_hooks hooks = {});

  // Takes a packet that came in by `ingress` and was punted, with its bytes as they were received; a packet that needs
  // fragmentation has the bytes to be sent.
  void handle(rte_mbuf* packet, punt_reason why, interface_index ingress, control_time now, control_actions& actions);
  // Does the work that depends on time. The caller chooses how often; neighbours are asked again each second.
  void tick(control_time now, control_actions& actions);
  // Called at the end: every held packet goes out as dropped.
  void give_up(control_actions& actions);

  // Adds a neighbour by configuration. Throws like neighbour_cache::add_permanent.
  void add_neighbour(neighbour_key const& neighbour, wire::mac_address const& mac, control_actions& actions);
  // Makes a configured neighbour one like any other, which is asked for its MAC address.
  void remove_neighbour(neighbour_key const& neighbour, control_actions& actions);
  [[nodiscard]] neighbour_cache const& neighbours() const { return neighbours_; }
  // From now on ARP requests for these addresses, which a function translates, are answered too, on each wire whose
  // prefix has them, and new ones are announced.
  void claim(std::vector<wire::ipv4_address> const& addresses) { claimed_.set(tables_, addresses); }
  // Announces all addresses of an interface. Its hosts may remember other owners: at the start, the router that had the
  // addresses before; when the link comes up, hosts of another wire.
  // Reports its groups too, which a switch may have forgotten or never known.
  void announce(interface_index interface);
  // Mbufs of the pool that it holds: packets that wait for a MAC address.
  [[nodiscard]] std::size_t mbufs_held() const { return neighbours_.held(); }
  // Packets that have come in and not gone out.
  [[nodiscard]] std::size_t held() const { return neighbours_.held() + reassembler_.held(); }

 private:
  // The packet of one call, and the place for its actions.
  struct call {
    rte_mbuf* packet;
    interface_index ingress;
    control_time now;
    control_actions& actions;
  };
  void handle_arp(call const& given);
  void send_announcements(control_time now, control_actions& actions);
  void send_listener_reports(control_time now, control_actions& actions);
  void handle_discovery(call const& given);
  [[nodiscard]] bool answer_listener_query(call const& given);
  [[nodiscard]] bool listens(interface_index interface, wire::ipv6_address group) const;
  void handle_unknown_neighbour(call const& given);
  void handle_too_big(call const& given);
  void send_in_fragments(call const& given);
  void answer_by_icmp(call const& given, icmp_error what, control_drop why, std::uint16_t mtu = 0);
  void handle_solicitation(call const& given, discovery_message const& said);
  [[nodiscard]] static wire::mac_address sender_of(call const& given, discovery_message const& said);
  [[nodiscard]] bool is_taken_by(call const& given, discovery_message const& said) const;
  void handle_advertisement(call const& given, discovery_message const& said);
  void leave_to_host(call const& given, control_drop why);
  static void drop(control_actions& actions, rte_mbuf* packet, interface_index by, control_drop why);

  void send_own(rte_mbuf* packet, ip_address const& to, interface_index ingress, control_time now,
                control_actions& actions);
  void hold(neighbour_key const& neighbour, held_packet const& packet, control_time now, control_actions& actions);
  void settle(neighbour_events& events, control_time now, control_actions& actions);
  void ask(neighbour_question const& question, control_actions& actions);
  [[nodiscard]] std::optional<ip_address> destination_of(rte_mbuf& packet, interface_index ingress) const;
  [[nodiscard]] ip_address read_destination(rte_mbuf& packet) const;
  [[nodiscard]] bool may_send_icmp(icmp_error what, interface_index ingress, control_time now);
  [[nodiscard]] bool may_learn(neighbour_key const& neighbour) const;
  // The next hop of a packet that goes out by itself: to a link-local address, by the interface where it was asked for.
  [[nodiscard]] std::optional<neighbour_key> way_to(ip_address const& to, interface_index ingress) const;
  [[nodiscard]] kernel_beside kernel_of(interface_index interface) const;
  [[nodiscard]] bool is_from_here(call const& given) const;
  [[nodiscard]] bool is_at(interface_index interface, ip_address const& address) const;
  [[nodiscard]] bool is_anycast_at(interface_index interface, ip_address const& address) const;

  router_table& tables_;
  rte_mempool& pool_;
  control_settings settings_;
  control_hooks hooks_;
  neighbour_cache neighbours_;
  claimed_addresses claimed_;
  listener_reports reports_;
  reassembler reassembler_;
  std::vector<std::array<token_bucket, icmp_error_kinds>> icmp_errors_;  // by interface, and by kind
  std::uint16_t identification_{};                                       // of the next ICMP error over IPv4
};

}  // namespace packetwarp

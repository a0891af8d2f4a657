// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "address/ip_address.h"
#include "control/action.h"
#include "control/icmp_error.h"
#include "routing/router_table.h"
#include "wire/address.h"

namespace packetwarp {

// An IPv4 address that the router answers ARP for by an interface although it is none of the interface's own.
struct claim {
  interface_index interface {};
  wire::ipv4_address address;

  [[nodiscard]] friend constexpr bool operator==(claim const& a, claim const& b) {
    return a.interface == b.interface && a.address == b.address;
  }
};

// An address that the router says it has, by an interface: a claim, or an own address of the interface.
struct announcement {
  interface_index interface {};
  ip_address address;
};

struct announcement_settings {
  std::uint32_t per_second{100};
  std::uint32_t at_once{50};
  control_time interval{
      std::chrono::seconds{2}};  // RFC 5227, 1.1: ANNOUNCE_INTERVAL; each is announced twice (ANNOUNCE_NUM)
};

// Addresses that a function translates, and that no other host has: a host that asks for one on the wire of its prefix
// must be answered by the router, or no packet ever comes to it. Each is announced (RFC 5227, 2.3) when it is new and
// when its link has come up, so that neighbours forget its last owner; so are the router's own addresses (announce()).
// A single thread.
class claimed_addresses {
 public:
  explicit claimed_addresses(announcement_settings const& settings)
      : settings_{settings}, tokens_{settings.per_second, settings.at_once} {}

  // Replaces the claimed addresses. Each is claimed by every interface that has it within a prefix of its own; newly
  // claimed ones are announced. The router's own addresses are not claimed, nor is the first or the last address of a
  // prefix, which no host has.
  void set(router_table const& tables, std::vector<wire::ipv4_address> const& addresses);
  [[nodiscard]] bool contains(interface_index interface, wire::ipv4_address address) const;
  // Announces these addresses of the interface's own, then all its claims. They stay its own until they have been
  // announced twice, or until the next call for the interface.
  void announce(interface_index interface, std::vector<ip_address> const& own);
  // The next address to announce now; nothing as long as none is due, or the limit is reached.
  [[nodiscard]] std::optional<announcement> next(control_time now);
  // Whether the limit lets another message go that is announced with them; it counts then.
  [[nodiscard]] bool may_announce(control_time now) { return tokens_.take(now); }
  [[nodiscard]] std::size_t size() const { return claims_.size(); }

 private:
  struct repetition {
    announcement of;
    control_time due;
  };
  void forget_announcements_of(interface_index interface);

  announcement_settings settings_;
  token_bucket tokens_;
  std::vector<claim> claims_;           // sorted
  std::deque<announcement> waiting_;    // not announced yet; an address is in one of these two at most once
  std::deque<repetition> repetitions_;  // announced once
};

}  // namespace packetwarp

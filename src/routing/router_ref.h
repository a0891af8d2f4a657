// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "address/interface_index.h"
#include "base/host_device.h"
#include "burst/verdict.h"
#include "routing/lpm_ref.h"
#include "wire/address.h"

namespace packetwarp {

// The kind of a next hop.
enum class next_hop_kind : std::uint8_t {
  none,       // no route
  adjacent,   // a neighbour: its MAC address is known, or must be asked for
  connected,  // any host of an interface's own prefix: the table of hosts has the host
  local,      // an address of the router itself
  broadcast,  // the broadcast address of an interface's own prefix
  discard     // a route that drops
};

// Two words, each read and written whole. The first and half of the second are a frame's MAC addresses in the order of
// the wire, destination first; a destination of zero is unknown. Only the destination ever changes while the record is
// in use.
struct alignas(16) next_hop {
  std::uint64_t first;   // destination MAC, and two bytes of the source MAC: a frame's bytes 0 to 7
  std::uint64_t second;  // four bytes of the source MAC: 8 to 11; above them MTU, interface and kind

  [[nodiscard]] HOST_DEVICE constexpr next_hop_kind kind() const { return static_cast<next_hop_kind>(second >> 60); }
  [[nodiscard]] HOST_DEVICE constexpr interface_index interface() const {
    return static_cast<interface_index>(second >> 48 & 0xfff);
  }
  // Bytes of an IP packet.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t mtu() const { return second >> 32 & 0xffff; }
  [[nodiscard]] HOST_DEVICE constexpr egress_index egress() const { return static_cast<egress_index>(interface()); }
  [[nodiscard]] HOST_DEVICE constexpr bool has_mac() const { return (first & 0xffff'ffff'ffffULL) != 0; }
};
static_assert(sizeof(next_hop) == 16 && std::is_trivially_copyable_v<next_hop>);

// Next hops that always exist; after them one for each interface's connected prefixes.
namespace next_hops {
enum fixed : std::uint32_t { no_route, own_address, broadcast_address, discard_route, first_connected };
}

// Hosts known by their whole address: neighbours, and the router's own addresses. Open addressing, one to max_probes
// slots from the hash on; a slot of zeroes ends the search.
namespace hosts {
inline constexpr std::uint32_t max_probes = 16;
// Above the index of the next hop in an entry: the address is the router's own, and this machine's kernel has it too.
inline constexpr std::uint32_t own_bit = 1U << 31;
inline constexpr std::uint32_t kernel_bit = 1U << 30;
// The address is the broadcast address of an own prefix.
inline constexpr std::uint32_t broadcast_bit = 1U << 29;
inline constexpr std::uint32_t index_mask = broadcast_bit - 1;

// Multiplicative (Knuth 6.4): the high half is well mixed.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t hash(wire::ipv4_address address) {
  return static_cast<std::uint32_t>(address.number * 0x9e37'79b9'7f4a'7c15ULL >> 32);
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t hash(wire::ipv6_address address) {
  std::uint64_t const mixed = (address.high ^ address.high >> 32) * 0x9e37'79b9'7f4a'7c15ULL + address.low;
  return static_cast<std::uint32_t>((mixed ^ mixed >> 29) * 0xbf58'476d'1ce4'e5b9ULL >> 32);
}
}  // namespace hosts

// An IPv4 host is one word: the address above, the index of its next hop and the bits of namespace hosts below.
// An IPv6 host is four: the address, then the same with a tag of the address's hash above it, written last, so that a
// half-written entry fits no address. The fourth is not used.
struct alignas(32) ipv6_host {
  std::uint64_t high;
  std::uint64_t low;
  std::uint64_t entry;
  std::uint64_t unused;
};
static_assert(sizeof(ipv6_host) == 32 && std::is_trivially_copyable_v<ipv6_host>);

// The data about an interface that the data path needs for received packets.
struct alignas(16) router_interface {
  std::uint64_t mac;  // wire::mac_address::number(); never 0
  // 0 without a kernel interface beside it. Else with_kernel, and below it that interface's MAC address, which may be
  // another: frames to it are the kernel's then.
  std::uint64_t kernel;

  static constexpr std::uint64_t with_kernel = std::uint64_t{1} << 63;
};
static_assert(sizeof(router_interface) == 16 && std::is_trivially_copyable_v<router_interface>);

// The treatment of IPv4 packets with a source route: loose or strict (RFC 791, 3.1). A packet that passes is treated as
// any packet with options: the option is not followed, at an own address either.
enum class source_routes : std::uint8_t { drop, pass };

// The router's tables as an executor reads them. It does not own them; its router_table outlives it. Each pipeline has
// its own copy, which has the interface that the pipeline's packets come in by.
struct router_ref {
  lpm_ref ipv4_routes;
  lpm_ref ipv6_routes;
  next_hop const* next_hops;
  std::uint64_t const* ipv4_hosts;
  ipv6_host const* ipv6_hosts;
  router_interface const* interfaces;
  std::uint32_t ipv4_host_mask;  // the number of slots less one
  std::uint32_t ipv6_host_mask;
  interface_index ingress;
  packetwarp::source_routes source_routes;
};
static_assert(std::is_trivially_copyable_v<router_ref>);

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "routing/find_host.h"
#include "routing/ip_packet.h"
#include "routing/router_ref.h"

// A router's further steps, for functions that do more than route: find, decide, rewrite. No step before rewrite
// changes a packet, so a dropped or punted packet is as it was received, except a packet that needs fragmentation.
namespace packetwarp::routing {

[[nodiscard]] HOST_DEVICE inline next_hop load_next_hop(router_ref const& tables, std::uint32_t index) {
  auto const* const at = tables.next_hops + index;
  return {load_shared(&at->first), load_shared(&at->second)};
}

// The MTU of the interface that the packet came in by.
[[nodiscard]] HOST_DEVICE inline std::uint32_t mtu_of_ingress(router_ref const& tables) {
  return load_next_hop(tables, next_hops::first_connected + static_cast<std::uint32_t>(tables.ingress)).mtu();
}

[[nodiscard]] HOST_DEVICE inline lpm_ref const& routes_to(router_ref const& tables, wire::ipv4_address) {
  return tables.ipv4_routes;
}
[[nodiscard]] HOST_DEVICE inline lpm_ref const& routes_to(router_ref const& tables, wire::ipv6_address) {
  return tables.ipv6_routes;
}

// Whether packets to a host go by the host's own next hop: it is none of another interface's wire than the connected
// prefix around it. The router's own addresses are on every wire.
[[nodiscard]] HOST_DEVICE inline bool is_on_wire(next_hop const& host, next_hop const& by_prefix) {
  return host.kind() != next_hop_kind::adjacent || host.interface() == by_prefix.interface();
}

// The lookup of a sender. A GPU waits some 300 clocks for each word of a table, so lookups that are made one after the
// other have their first words on the way together. A CPU has most of them in its caches.
template <class Address>
class sender_lookup {
 public:
  HOST_DEVICE sender_lookup(router_ref const& tables, Address from) : tables_{tables}, from_{from} {
#if defined(__CUDA_ARCH__)
    entry_ = first_entry(tables, own_key(tables.ingress, from));
#endif
  }
  [[nodiscard]] HOST_DEVICE bool is_no_hosts() const {
#if defined(__CUDA_ARCH__)
    return routing::is_no_hosts(tables_, from_, entry_);
#else
    return routing::is_no_hosts(tables_, from_);
#endif
  }

 private:
  router_ref const& tables_;
  Address from_;
#if defined(__CUDA_ARCH__)
  std::uint64_t entry_;
#endif
};

// The lookup of a destination: the longest prefix's next hop, and in an interface's own prefix the host itself.
template <class Address>
class destination_lookup {
 public:
  HOST_DEVICE destination_lookup(router_ref const& tables, Address to) : tables_{tables}, to_{to} {
#if defined(__CUDA_ARCH__)
    root_ = root_entry(routes_to(tables, to), to);
    entry_ = first_entry(tables, to);
#endif
  }
  [[nodiscard, gnu::always_inline]] HOST_DEVICE next_hop find() const {
#if defined(__CUDA_ARCH__)
    auto const prefix = longest_match(routes_to(tables_, to_), to_, root_);
    auto const index = find_host(tables_, to_, entry_) & hosts::index_mask;
    auto const by_prefix = load_next_hop(tables_, prefix);
    auto const host = load_next_hop(tables_, index);
    bool const is_hosts = by_prefix.kind() == next_hop_kind::connected && index != 0 && is_on_wire(host, by_prefix);
    return is_hosts ? host : by_prefix;
#else
    auto const by_prefix = load_next_hop(tables_, longest_match(routes_to(tables_, to_), to_));
    if (by_prefix.kind() != next_hop_kind::connected) return by_prefix;
    auto const index = find_host(tables_, to_) & hosts::index_mask;
    if (index == 0) return by_prefix;
    auto const host = load_next_hop(tables_, index);
    // A branch: a choice between two values would wait for both chains of loads, a tenth of the function's time.
    if (!is_on_wire(host, by_prefix)) [[unlikely]]
      return by_prefix;
    return host;
#endif
  }

 private:
  router_ref const& tables_;
  Address to_;
#if defined(__CUDA_ARCH__)
  lpm_entry root_;
  std::uint64_t entry_;
#endif
};

// The next hop of packets to this address.
template <class Address>
[[nodiscard, gnu::always_inline]] HOST_DEVICE inline next_hop find_next_hop(router_ref const& tables, Address to) {
  return destination_lookup<Address>{tables, to}.find();
}

// The properties of an IP packet that a router checks before it lets it go.
struct passage {
  std::uint32_t length;   // bytes, from the IP header on
  std::uint32_t carried;  // the same with the padding after the packet, which its frame carries too
  std::uint8_t hops;      // time to live or hop limit, as received
  bool may_be_fragmented;
};
[[nodiscard]] HOST_DEVICE inline passage passage_of(packet_view packet, wire::ipv4_view<std::byte> ip) {
  return {ip.total_length(), packet.length - ip_at, ip.ttl(), !ip.dont_fragment()};
}
[[nodiscard]] HOST_DEVICE inline passage passage_of(packet_view packet, wire::ipv6_view<std::byte> ip) {
  auto const length = static_cast<std::uint32_t>(ip.header_length + ip.payload_length());
  return {length, packet.length - ip_at, ip.hop_limit(), false};
}

// The verdict for a packet that goes by this next hop: forward, needs_fragmentation, or the reason why it does not go.
// For next_hop_kind::local it is to_kernel. A frame that only its padding makes too long needs no fragments, but no
// executor shortens a frame: the control plane does.
[[nodiscard]] HOST_DEVICE inline verdict decide(next_hop const& hop, passage packet) {
  auto const kind = hop.kind();
  if (kind == next_hop_kind::local) return verdict::punt(punt_reason::to_kernel);
  if (kind == next_hop_kind::broadcast) return drop(fault::directed_broadcast);
  if (kind == next_hop_kind::discard) return drop(fault::discard_route);
  if (packet.hops <= 1) return verdict::punt(punt_reason::ttl_exceeded);
  if (kind == next_hop_kind::none) return verdict::punt(punt_reason::unreachable);
  bool const is_long = packet.carried > hop.mtu();
  if (is_long && packet.length > hop.mtu() && !packet.may_be_fragmented) return verdict::punt(punt_reason::too_big);
  if (kind == next_hop_kind::connected || !hop.has_mac()) return verdict::punt(punt_reason::neighbour_unknown);
  return is_long ? verdict::punt(punt_reason::needs_fragmentation) : verdict::forward(hop.egress());
}

// Whether decide() lets the packet go: all work for its departure is done here. The control plane only fragments it.
[[nodiscard]] HOST_DEVICE inline bool is_let_go(verdict said) {
  return said.what() == verdict::action::forward || said == verdict::punt(punt_reason::needs_fragmentation);
}

// Writes the next hop's MAC address and its interface's into the frame.
HOST_DEVICE inline void rewrite_link(std::byte* frame, next_hop const& hop) {
  auto const end = static_cast<std::uint32_t>(hop.second);
  std::memcpy(frame, &hop.first, sizeof hop.first);
  std::memcpy(frame + sizeof hop.first, &end, sizeof end);
}

// Completes a packet that decide() lets go: one hop less, the checksum with it (RFC 1624), new MAC addresses.
HOST_DEVICE inline void rewrite(packet_view packet, wire::ipv4_view<std::byte> ip, next_hop const& hop) {
  ip.decrement_ttl();
  rewrite_link(packet.data, hop);
}
HOST_DEVICE inline void rewrite(packet_view packet, wire::ipv6_view<std::byte> ip, next_hop const& hop) {
  ip.set_hop_limit(static_cast<std::uint8_t>(ip.hop_limit() - 1));
  rewrite_link(packet.data, hop);
}

// decide() and rewrite() in one.
template <class Ip>
[[nodiscard]] HOST_DEVICE verdict forward_by(packet_view packet, Ip ip, next_hop const& hop) {
  auto const said = decide(hop, passage_of(packet, ip));
  if (is_let_go(said)) rewrite(packet, ip, hop);
  return said;
}

}  // namespace packetwarp::routing

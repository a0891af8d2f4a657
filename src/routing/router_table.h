// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "address/interface_index.h"
#include "address/ip_address.h"
#include "address/ip_prefix.h"
#include "address/neighbour.h"
#include "memory/table_memory.h"
#include "routing/host_table.h"
#include "routing/lpm_table.h"
#include "routing/next_hop_table.h"
#include "routing/router_limits.h"
#include "routing/router_ref.h"
#include "routing/shared_array.h"
#include "wire/address.h"

namespace packetwarp {

// The target of a route.
struct on_link {  // to hosts on the wire of this interface
  interface_index interface {};
};
struct discard {};
using route_target = std::variant<neighbour_key, on_link, discard>;

// The owner of the tables that a router_ref reads. A single control thread calls it, while executors read; CPU
// executors see its changes at once and GPU executors after commit(). Throws usage_error for arguments that make no
// sense, failure if a part is full; nothing is changed then.
class router_table {
 public:
  struct interface_facts {
    wire::mac_address mac;
    std::uint16_t mtu{};               // bytes of an IP packet
    std::vector<ip_prefix> addresses;  // own; the IPv6 link-local one that follows from the MAC address is first
  };

  // copies: where executors read, beside the host.
  explicit router_table(table_places const& copies = {}, router_limits const& limits = {});

  // Applies to every router_ref that is made from now on; without a call the setting is drop.
  void set_source_routes(source_routes wanted) { source_routes_ = wanted; }

  // Interfaces count from 0 and leave by the egress of the same number.
  interface_index add_interface(wire::mac_address const& mac, std::uint16_t mtu);
  // Adds an own address, and the prefix around it, whose hosts are on the interface's wire.
  void add_address(interface_index interface, ip_prefix const& address);
  void remove_address(interface_index interface, ip_prefix const& address);

  // The interface has a kernel interface beside it, with this MAC address and these of its addresses: from now on the
  // kernel answers echo requests to them, and receives frames to the MAC address, if that is another.
  void share_with_kernel(interface_index interface, wire::mac_address const& mac,
                         std::span<ip_address const> addresses);

  // Adds a route, or changes its target. Neighbours that it puts on their interface's wire are found from then on.
  void set_route(ip_prefix const& to, route_target const& target);
  // False: the table has no such route.
  bool remove_route(ip_prefix const& to);
  // The same in slices, as in lpm_table: a default route is 16 million entries. Begin, then step_route() until it
  // returns that all is done. A slice needs room for some dozens of entries.
  void begin_set_route(ip_prefix const& to, route_target const& target);
  bool begin_remove_route(ip_prefix const& to);
  [[nodiscard]] bool step_route(std::size_t& entries);
  [[nodiscard]] std::size_t routes() const { return ipv4_routes_.size() + ipv6_routes_.size(); }

  // Sets a neighbour's MAC address. False: the table is full. Own and broadcast addresses are an error.
  [[nodiscard]] bool set_neighbour(neighbour_key const& neighbour, wire::mac_address const& mac);
  // Throws usage_error for a neighbour that set_neighbour() would refuse.
  void check_neighbour(neighbour_key const& neighbour, wire::mac_address const& mac) const;
  // Makes packets find a neighbour whose MAC address is known, if its address is on its interface's wire: a route has
  // put it there since, or there was no room. False: there is no room now.
  [[nodiscard]] bool renew_neighbour(neighbour_key const& neighbour);
  // Packets to the neighbour are punted as neighbour_unknown again.
  void forget_neighbour(neighbour_key const& neighbour);
  // Keeps the place of a neighbour's next hop for a change that may be undone: a route may lead by it again, and its
  // MAC address may be set again, whatever else takes room meanwhile. False: it has no place; else release_next_hop()
  // once.
  [[nodiscard]] bool keep_next_hop(neighbour_key const& neighbour);
  // The same for a change to come, which finds the place whatever else takes room meanwhile. False: the table is full.
  [[nodiscard]] bool take_next_hop(neighbour_key const& neighbour);
  void release_next_hop(neighbour_key const& neighbour);

  // The next hop of an address as the data path finds it: the gateway, or in a connected prefix the address itself.
  // Nothing if the next hop is no neighbour: own addresses, broadcasts, no route.
  [[nodiscard]] std::optional<neighbour_key> resolve(ip_address const& to) const;
  [[nodiscard]] next_hop_kind kind_of(ip_address const& to) const;
  // The route that packets to an address take at the moment: the longest prefix around it, from the entries that the
  // data path reads. Nothing without a route.
  struct route_found {
    ip_prefix to;
    next_hop_kind kind{};  // adjacent, connected or discard
    interface_index interface {};
    std::optional<ip_address> via{};  // of an adjacent one
  };
  [[nodiscard]] std::optional<route_found> route_to(ip_address const& to) const;
  // Whether the address is on the wire of the interface by one of its prefixes; a link-local address always is.
  [[nodiscard]] bool is_on_link(neighbour_key const& neighbour) const;
  // Whether the address is own on an interface's link: a link-local one is only on its own (RFC 4007, 6).
  [[nodiscard]] bool is_own(interface_index interface, ip_address const& address) const;
  // The same on any link.
  [[nodiscard]] bool is_own(ip_address const& address) const;
  // The next hop of a neighbour that a route leads by or whose MAC address is known.
  [[nodiscard]] std::optional<next_hop> next_hop_of(neighbour_key const& neighbour) const;
  [[nodiscard]] bool has_mac(neighbour_key const& neighbour) const;
  [[nodiscard]] interface_facts const& facts(interface_index interface) const;
  [[nodiscard]] std::size_t interfaces() const { return interfaces_.size(); }

  // The use of a part: the number in use, out of `room`.
  struct usage {
    std::size_t used{};
    std::size_t room{};
  };
  struct occupancy {
    std::size_t ipv4_routes{}, ipv6_routes{};  // prefixes; they take room as groups
    usage ipv4_groups, ipv6_groups, next_hops, ipv4_hosts, ipv6_hosts;
  };
  [[nodiscard]] occupancy occupied() const;
  [[nodiscard]] router_limits const& limits() const { return limits_; }

  // The tables for the pipeline whose packets come in by this interface.
  [[nodiscard]] router_ref cpu(interface_index ingress) const;
  // The same on the n-th GPU with a copy.
  [[nodiscard]] router_ref gpu(interface_index ingress, std::size_t n = 0) const;
  // Brings the GPUs' copies up to date. Blocks.
  void commit();
  // Frees the parts that nothing led to at the last commit(). Only once every executor has finished the packets that it
  // had then; if commit() may be called meanwhile, the packets that it had at mark().
  void mark();
  void reclaim();
  // Leaves the copies to the process: a kernel that nothing can end may still read them.
  void abandon();

 private:
  using enum next_hops::fixed;
  [[nodiscard]] next_hop_table::link link_of(interface_index interface) const;
  // The caller holds the index.
  [[nodiscard]] std::uint32_t index_of(route_target const& target);
  [[nodiscard]] std::uint32_t find_index(ip_address const& to) const;
  [[nodiscard]] lpm_table& table_of(ip_address const& address);
  [[nodiscard]] bool set_host(ip_address const& host, std::uint32_t entry);
  void remove_own(interface_index interface, ip_address const& address);
  void remove_host(ip_address const& host);
  [[nodiscard]] std::uint32_t host_entry(ip_address const& host) const;
  void set_prefix(ip_prefix const& prefix, std::uint32_t index);
  void begin_set_prefix(ip_prefix const& prefix, std::uint32_t index);
  void finish_route();
  [[nodiscard]] bool set_if_host(neighbour_key const& neighbour, std::uint32_t index);
  // From now on the prefix leads to this next hop: begins to look for known neighbours that this puts on a wire.
  void begin_renewal(ip_prefix const& within, std::uint32_t index);
  [[nodiscard]] bool renew_hosts(std::size_t& entries);
  void check(interface_index interface) const;

  router_limits limits_;
  lpm_table ipv4_routes_;
  lpm_table ipv6_routes_;
  ipv4_host_table ipv4_hosts_;
  ipv6_host_table ipv6_hosts_;
  next_hop_table next_hops_;
  shared_array<std::uint64_t> ingresses_;  // two words per interface
  std::vector<interface_facts> interfaces_;
  source_routes source_routes_{source_routes::drop};
  // The route change that is under way, and the next hop that no entry leads to once it is done.
  lpm_table* changing_{};
  std::optional<std::uint32_t> replaced_;
  // The neighbours of one interface, from `next` on, that a changed route may have put on its wire.
  struct renewal {
    ip_prefix within;
    neighbour_key next;
  };
  std::optional<renewal> renewal_;
};

}  // namespace packetwarp

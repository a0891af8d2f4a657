// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "address/interface_index.h"
#include "base/host_device.h"
#include "routing/lpm_ref.h"
#include "routing/router_ref.h"
#include "wire/address.h"

// Lookups of an address in the table of hosts.
namespace packetwarp::routing {

// The entry of the first slot in which an address may be.
[[nodiscard]] HOST_DEVICE inline std::uint64_t first_entry(router_ref const& tables, wire::ipv4_address address) {
  return load_shared(tables.ipv4_hosts + (hosts::hash(address) & tables.ipv4_host_mask));
}
[[nodiscard]] HOST_DEVICE inline std::uint64_t first_entry(router_ref const& tables, wire::ipv6_address address) {
  return load_shared(&tables.ipv6_hosts[hosts::hash(address) & tables.ipv6_host_mask].entry);
}

// Index and bits of a host, 0 if it is not in the table. entry: first_entry() of it.
[[nodiscard]] HOST_DEVICE inline std::uint32_t find_host(router_ref const& tables, wire::ipv4_address address,
                                                         std::uint64_t entry) {
  auto at = hosts::hash(address);
  for (std::uint32_t probe = 1;; ++probe) {
    if (entry == 0) return 0;
    if (entry >> 32 == address.number) return static_cast<std::uint32_t>(entry);
    if (probe == hosts::max_probes) return 0;
    entry = load_shared(tables.ipv4_hosts + (++at & tables.ipv4_host_mask));
  }
}
[[nodiscard]] HOST_DEVICE inline std::uint32_t find_host(router_ref const& tables, wire::ipv6_address address,
                                                         std::uint64_t entry) {
  auto const tag = hosts::hash(address);
  auto const* slot = &tables.ipv6_hosts[tag & tables.ipv6_host_mask];
  for (std::uint32_t probe = 1;; ++probe) {
    if (entry == 0) return 0;
    if (entry >> 32 == tag && load_shared(&slot->high) == address.high && load_shared(&slot->low) == address.low) {
      return static_cast<std::uint32_t>(entry);
    }
    if (probe == hosts::max_probes) return 0;
    slot = &tables.ipv6_hosts[(tag + probe) & tables.ipv6_host_mask];
    entry = load_shared(&slot->entry);
  }
}
template <class Address>
[[nodiscard]] HOST_DEVICE std::uint32_t find_host(router_ref const& tables, Address address) {
  return find_host(tables, address, first_entry(tables, address));
}

// The key of an own address in the table of hosts. A link-local address is one interface's, and on another link another
// host may have it (RFC 4007, 6): the interface's number takes the place of its prefix, fe80::/64, below the top byte
// of groups, which no host's address has. Nothing else is looked for by such a key.
[[nodiscard]] HOST_DEVICE constexpr wire::ipv4_address own_key(interface_index, wire::ipv4_address address) {
  return address;
}
[[nodiscard]] HOST_DEVICE constexpr wire::ipv6_address own_key(interface_index interface, wire::ipv6_address address) {
  constexpr std::uint64_t link_local = std::uint64_t{0xfe80} << 48;
  constexpr std::uint64_t of_groups = std::uint64_t{0xff} << 56;
  return {address.high == link_local ? of_groups | number_of(interface) : address.high, address.low};
}

// Index and bits of an address that is own on the link where packets come in here.
template <class Address>
[[nodiscard]] HOST_DEVICE std::uint32_t find_own(router_ref const& tables, Address address) {
  return find_host(tables, own_key(tables.ingress, address));
}

// Whether the address belongs to one of the router's interfaces; a link-local one, to the interface where packets come
// in here.
template <class Address>
[[nodiscard]] HOST_DEVICE bool is_own(router_ref const& tables, Address address) {
  return (find_own(tables, address) & hosts::own_bit) != 0;
}

// Whether no other host on this link may send from the address: it is an own address, or the broadcast address of an
// own prefix (RFC 1812, 5.3.7). entry: first_entry() of its own_key().
template <class Address>
[[nodiscard]] HOST_DEVICE bool is_no_hosts(router_ref const& tables, Address from, std::uint64_t entry) {
  auto const found = find_host(tables, own_key(tables.ingress, from), entry);
  return (found & (hosts::own_bit | hosts::broadcast_bit)) != 0;
}
template <class Address>
[[nodiscard]] HOST_DEVICE bool is_no_hosts(router_ref const& tables, Address from) {
  return is_no_hosts(tables, from, first_entry(tables, own_key(tables.ingress, from)));
}

// Whether the kernel answers packets that came in here for this own address: both the interface and the address are
// shared with it.
template <class Address>
[[nodiscard]] HOST_DEVICE bool is_kernels(router_ref const& tables, Address to) {
  auto const kernel = load_shared(&tables.interfaces[static_cast<std::size_t>(tables.ingress)].kernel);
  return kernel != 0 && (find_own(tables, to) & hosts::kernel_bit) != 0;
}

}  // namespace packetwarp::routing

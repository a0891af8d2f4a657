// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "routing/prefix.h"
#include "routing/router_table.h"
#include "routing/routing.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

// A host takes as long as this many entries of a route.
constexpr std::size_t entries_a_host = 32;

}  // namespace

void router_table::check_neighbour(neighbour_key const& neighbour, wire::mac_address const& mac) const {
  check(neighbour.interface);
  bool const is_no_hosts =
      is_own(neighbour.interface, neighbour.address) || (host_entry(neighbour.address) & hosts::broadcast_bit) != 0;
  if (mac.is_group() || mac.number() == 0 || is_no_hosts) {
    throw usage_error(
        fmt::format("neighbour {} at {}: give another host's address, no broadcast address, and a MAC "
                    "address that is one host's: not 0 and no group's",
                    to_text(neighbour.address), wire::to_text(mac)));
  }
}

bool router_table::set_neighbour(neighbour_key const& neighbour, wire::mac_address const& mac) {
  check_neighbour(neighbour, mac);
  bool const is_known = has_mac(neighbour);
  auto const index = is_known ? next_hops_.find(neighbour) : next_hops_.hold(neighbour, link_of(neighbour.interface));
  if (!index) return false;
  if (!set_if_host(neighbour, *index)) {
    if (!is_known) next_hops_.release(*index);
    return false;
  }
  next_hops_.set_mac(*index, mac);
  return true;
}

bool router_table::renew_neighbour(neighbour_key const& neighbour) {
  return !has_mac(neighbour) || set_if_host(neighbour, *next_hops_.find(neighbour));
}

// A link-local address may be on many links; nothing is routed to it, but routes may lead by it. An own or a broadcast
// address stays one, also if a neighbour had it before.
bool router_table::set_if_host(neighbour_key const& neighbour, std::uint32_t index) {
  bool const is_taken = (host_entry(neighbour.address) & (hosts::own_bit | hosts::broadcast_bit)) != 0;
  bool const is_host = !is_taken && !is_link_local(neighbour.address) && is_on_link(neighbour);
  return !is_host || set_host(neighbour.address, index);
}

void router_table::begin_renewal(ip_prefix const& within, std::uint32_t index) {
  auto const hop = next_hops_[index];
  if (hop.kind() != next_hop_kind::connected) return;
  auto const start = without_host_bits(within);
  renewal_ = {start, {hop.interface(), start.address}};
}

// A host without room stays unknown to the data path, until a packet to it is punted.
bool router_table::renew_hosts(std::size_t& entries) {
  if (!renewal_) return true;
  std::optional<neighbour_key> left;
  next_hops_.visit(renewal_->next, [&](neighbour_key const& one, std::uint32_t index) {
    if (one.interface != renewal_->next.interface || !covers(renewal_->within, one.address)) return false;
    if (entries < entries_a_host) {
      left = one;
      return false;
    }
    entries -= entries_a_host;
    if (next_hops_[index].has_mac()) (void)set_if_host(one, index);
    return true;
  });
  if (left) {
    renewal_->next = *left;
    return false;
  }
  renewal_.reset();
  return true;
}

void router_table::forget_neighbour(neighbour_key const& neighbour) {
  if (!has_mac(neighbour)) return;
  auto const index = *next_hops_.find(neighbour);
  next_hops_.set_mac(index, {});
  if (host_entry(neighbour.address) == index) remove_host(neighbour.address);
  next_hops_.release(index);
}

bool router_table::keep_next_hop(neighbour_key const& neighbour) {
  auto const index = next_hops_.find(neighbour);
  if (index) next_hops_.hold(*index);
  return index.has_value();
}

bool router_table::take_next_hop(neighbour_key const& neighbour) {
  check(neighbour.interface);
  return next_hops_.hold(neighbour, link_of(neighbour.interface)).has_value();
}

void router_table::release_next_hop(neighbour_key const& neighbour) {
  if (auto const index = next_hops_.find(neighbour)) next_hops_.release(*index);
}

std::optional<next_hop> router_table::next_hop_of(neighbour_key const& neighbour) const {
  auto const index = next_hops_.find(neighbour);
  return index ? std::optional{next_hops_[*index]} : std::nullopt;
}

bool router_table::has_mac(neighbour_key const& neighbour) const {
  auto const hop = next_hop_of(neighbour);
  return hop && hop->has_mac();
}

bool router_table::is_on_link(neighbour_key const& neighbour) const {
  if (is_link_local(neighbour.address)) return true;
  auto const index =
      std::visit([&](auto a) { return routing::longest_match(routing::routes_to(cpu({}), a), a); }, neighbour.address);
  return index == first_connected + number_of(neighbour.interface);
}

}  // namespace packetwarp

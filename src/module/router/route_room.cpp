// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/route_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "control/neighbour_budget.h"
#include "routing/lpm_group_count.h"
#include "routing/prefix.h"

namespace packetwarp {
namespace {

using neighbour_set = std::set<neighbour_key, neighbour_less>;

[[nodiscard]] std::size_t version_of(ip_address const& address) { return address.index(); }
constexpr std::array<std::string_view, 2> versions{"IPv4", "IPv6"};

// Entries of hosts: an address, and the broadcast or anycast address of its prefix.
constexpr std::size_t hosts_an_address = 2;

[[nodiscard]] std::array<std::size_t, 2> groups_of(network_config const& config) {
  std::vector<ip_prefix> longer;
  auto const note = [&](ip_prefix const& one) {
    if (lpm_table::levels_below_root(one.length) != 0) longer.push_back(one);
  };
  for (auto const& one : config.interfaces) std::ranges::for_each(one.addresses, note);
  for (auto const& one : config.routes) note(one.to);
  std::ranges::sort(longer, prefix_less{});
  std::array<lpm_group_count, 2> counts;
  for (auto const& one : longer) counts[version_of(one.address)].add(to_lpm(one));
  return {counts[0].groups(), counts[1].groups()};
}

[[nodiscard]] std::size_t own_hosts(network_config const& config) {
  std::size_t all = 0;
  for (auto const& one : config.interfaces) all += 1 + one.addresses.size() * hosts_an_address;
  return all;
}

// A gateway that is written with and without 'interface' counts twice.
[[nodiscard]] std::size_t most_next_hops(network_config const& config) {
  neighbour_set gateways;
  for (auto const& one : config.routes) {
    if (one.via) gateways.insert({index_of(config, one.interface), *one.via});
  }
  return gateways.size() + config.neighbours.size();
}

[[nodiscard]] neighbour_set next_hops_of(network_settings const& of) {
  neighbour_set all;
  for (auto const& [to, route] : of.routes) {
    if (auto const* const via = std::get_if<neighbour_key>(&route.target)) all.insert(*via);
  }
  for (auto const& one : of.config->neighbours) all.insert({index_of(*of.config, one.interface), one.address});
  return all;
}

[[nodiscard]] std::uint32_t sized(std::size_t asked, std::uint32_t least) {
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(asked * 2, least, largest_table));
}

// Adds up the room that networks take, and refuses the entry of the wanted one that has none.
class room_count {
 public:
  enum class moment : std::uint8_t { start, reload };

  room_count(network_config const& wanted, moment when, router_limits const& limits)
      : config_{wanted}, when_{when}, limits_{limits} {}

  void require_groups(route_map const& now, route_map const& wanted) const;
  void require_next_hops(network_settings const& now, route_map const& wanted) const;
  void require_hosts(network_config const& now) const;

 private:
  using route = route_map::const_iterator;
  void require_groups_of(std::size_t version, std::size_t taken, route const& by) const;
  [[noreturn]] void refuse(int line, std::string const& who, std::size_t room, std::string const& what) const;
  [[nodiscard]] int line_of(route const& one) const;

  network_config const& config_;
  moment when_;
  router_limits limits_;
};

void room_count::refuse(int line, std::string const& who, std::size_t room, std::string const& what) const {
  throw usage_error(fmt::format("{}:{}: {}: no room: {} has room for {} {}{}", config_.file, line, who,
                                when_ == moment::start ? "packetwarp" : "this run", room, what,
                                when_ == moment::start ? "; give fewer"
                                                       : ", and those of before the reload count too; give fewer, or "
                                                         "start again with this file, for which a start makes room"));
}

// An interface's own prefix, or an own address in it, has the interface's line.
int room_count::line_of(route const& one) const {
  if (one->second.line != 0) return one->second.line;
  for (auto const& interface : config_.interfaces) {
    bool const is_its = std::ranges::any_of(interface.addresses, [&](ip_prefix const& own) {
      return own.length <= one->first.length && covers(own, one->first.address);
    });
    if (is_its) return interface.line;
  }
  return 1;
}

void room_count::require_groups_of(std::size_t version, std::size_t taken, route const& by) const {
  std::size_t const room = version == 0 ? limits_.ipv4_groups : limits_.ipv6_groups;
  if (taken <= room) return;
  refuse(line_of(by), fmt::format("route to {}", to_text(by->first)), room,
         fmt::format("groups of 256 that {} routes longer than /24 take", versions[version]));
}

// Goes through both maps in the order of prefixes. A prefix of both is not the one that is refused.
void room_count::require_groups(route_map const& now, route_map const& wanted) const {
  std::array<lpm_group_count, 2> counts;
  std::array<std::optional<route>, 2> newest;
  prefix_less const less;
  for (auto old = now.begin(), added = wanted.begin(); old != now.end() || added != wanted.end();) {
    bool const is_new = old == now.end() || (added != wanted.end() && less(added->first, old->first));
    auto const one = is_new ? added++ : old++;
    auto const version = version_of(one->first.address);
    auto const more = counts[version].add(to_lpm(one->first));
    if (is_new && more != 0) newest[version] = one;
    if (newest[version]) require_groups_of(version, counts[version].groups(), *newest[version]);
  }
}

void room_count::require_next_hops(network_settings const& now, route_map const& wanted) const {
  std::size_t const room = limits_.next_hops - limits_.learnt;
  auto all = next_hops_of(now);
  auto const add = [&](neighbour_key const& who, int line, std::string_view what) {
    if (!all.insert(who).second || all.size() <= room) return;
    refuse(line, fmt::format("{} {}", what, to_text(who.address)), room,
           "neighbours that routes lead by or 'neighbours' has");
  };
  for (auto const& [to, wants] : wanted) {
    if (auto const* const via = std::get_if<neighbour_key>(&wants.target)) add(*via, wants.line, "via");
  }
  for (auto const& one : config_.neighbours) {
    add({index_of(config_, one.interface), one.address}, one.line, "neighbour");
  }
}

void room_count::require_hosts(network_config const& now) const {
  std::size_t const room = limits_.hosts - limits_.learnt;
  std::array<std::size_t, 2> own{};
  for (auto const& interface : config_.interfaces) {
    own[1] += 1;  // the link-local one
    for (auto const& address : interface.addresses) {
      own[version_of(address.address)] += hosts_an_address;
    }
    for (std::size_t version = 0; version < own.size(); ++version) {
      if (own[version] <= room) continue;
      refuse(interface.line, "interface " + interface.name, room,
             fmt::format("{} hosts: own, broadcast and anycast addresses", versions[version]));
    }
  }
  std::array<neighbour_set, 2> others;
  for (auto const& one : now.neighbours) {
    others[version_of(one.address)].insert({index_of(now, one.interface), one.address});
  }
  for (auto const& one : config_.neighbours) {
    auto const version = version_of(one.address);
    bool const is_new = others[version].insert({index_of(config_, one.interface), one.address}).second;
    if (!is_new || own[version] + others[version].size() <= room) continue;
    refuse(one.line, "neighbour " + to_text(one.address), room,
           fmt::format("{} hosts: own, broadcast and anycast addresses, and 'neighbours'", versions[version]));
  }
}

}  // namespace

router_limits limits_for(network_config const& config) {
  router_limits const usual;
  auto const learnt = static_cast<std::uint32_t>(neighbour_settings{}.all_neighbours);
  auto const groups = groups_of(config);
  return {.interfaces = usual.interfaces,
          .ipv4_groups = sized(groups[0], usual.ipv4_groups),
          .ipv6_groups = sized(groups[1], usual.ipv6_groups),
          .next_hops = learnt + sized(most_next_hops(config), usual.next_hops - learnt),
          .hosts = learnt + sized(own_hosts(config) + config.neighbours.size(), usual.hosts - learnt),
          .learnt = learnt};
}

void require_room(network_settings const& wanted, router_limits const& limits) {
  auto const nothing = std::make_shared<network_config>();
  room_count const count{*wanted.config, room_count::moment::start, limits};
  count.require_groups({}, wanted.routes);
  count.require_next_hops({nothing, {}}, wanted.routes);
  count.require_hosts(*nothing);
}

void require_room(network_settings const& now, network_settings const& wanted, router_limits const& limits) {
  room_count const count{*wanted.config, room_count::moment::reload, limits};
  count.require_groups(now.routes, wanted.routes);
  count.require_next_hops(now, wanted.routes);
  count.require_hosts(*now.config);
}

}  // namespace packetwarp

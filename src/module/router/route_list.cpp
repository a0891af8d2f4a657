// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/route_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace packetwarp {
namespace {

struct on_wire {
  ip_prefix prefix;
  interface_index interface {};
};

[[nodiscard]] std::vector<on_wire> wires_of(network_config const& config) {
  std::vector<on_wire> all;
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    for (auto const& address : config.interfaces[i].addresses) {
      all.push_back({address, interface_index{static_cast<std::uint16_t>(i)}});
    }
  }
  for (auto const& route : config.routes) {
    if (!route.via && !route.discard) all.push_back({route.to, index_of(config, route.interface)});
  }
  return all;
}

// Calls `look` with each address that packets reach the router itself by, beside link-local ones, and the interface's
// number: own addresses, and the broadcast and anycast addresses of own prefixes.
template <class Look>
void visit_routers(network_config const& config, Look const& look) {
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    interface_index const interface { static_cast<std::uint16_t>(i) };
    for (auto const& own : config.interfaces[i].addresses) {
      look(own.address, interface);
      if (auto const broadcast = broadcast_of(own)) look(*broadcast, interface);
      if (auto const anycast = anycast_of(own)) look(*anycast, interface);
    }
  }
}

[[nodiscard]] bool is_routers(network_config const& config, ip_address const& address) {
  bool found = false;
  visit_routers(config, [&](ip_address const& one, interface_index) { found = found || one == address; });
  return found;
}

// Many routes lead by few neighbours, so each neighbour is looked up once.
class wire_finder {
 public:
  explicit wire_finder(network_config const& config) : config_{config}, wires_{wires_of(config)} {}

  [[nodiscard]] interface_index find(route_config const& route) {
    auto const [at, is_new] = found_.try_emplace({interface_index{}, *route.via});
    if (is_new) at->second = look(*route.via);
    if (at->second) return *at->second;
    throw usage_error(fmt::format("{}:{}: via {}: no interface has it on its wire; give 'interface'", config_.file,
                                  route.line, to_text(*route.via)));
  }

 private:
  [[nodiscard]] std::optional<interface_index> look(ip_address const& via) const {
    on_wire const* longest = nullptr;
    for (auto const& one : wires_) {
      if (covers(one.prefix, via) && (longest == nullptr || one.prefix.length > longest->prefix.length)) longest = &one;
    }
    if (longest == nullptr || is_routers(config_, via)) return std::nullopt;
    return longest->interface;
  }

  network_config const& config_;
  std::vector<on_wire> wires_;
  std::map<neighbour_key, std::optional<interface_index>, neighbour_less> found_;
};

[[nodiscard]] route_target target_of(network_config const& config, route_config const& route, wire_finder& wires) {
  if (route.discard) return discard{};
  if (!route.via) return on_link{index_of(config, route.interface)};
  if (!route.interface.empty()) return neighbour_key{index_of(config, route.interface), *route.via};
  return neighbour_key{wires.find(route), *route.via};
}

// The route of the longest prefix around an address.
[[nodiscard]] route_map::const_iterator longest_around(route_map const& all, ip_address const& address) {
  auto found = all.end();
  for (auto length = bits_of(address) + 1; length-- > 0 && found == all.end();) found = all.find({address, length});
  return found;
}

// The table of hosts has the router's addresses, and the data path reads it only in a connected prefix. So an address
// that a longer route would lead away becomes a connected prefix of its own. This costs packets to others nothing.
void keep_routers(network_config const& config, route_map& all) {
  visit_routers(config, [&](ip_address const& address, interface_index interface) {
    if (is_link_local(address)) return;
    auto const around = longest_around(all, address);
    bool const is_kept = around != all.end() && std::holds_alternative<on_link>(around->second.target);
    if (!is_kept) all.insert_or_assign({address, bits_of(address)}, wanted_route{on_link{interface}, 0});
  });
}

[[nodiscard]] bool same(route_target const& a, route_target const& b) {
  if (a.index() != b.index()) return false;
  if (auto const* const gateway = std::get_if<neighbour_key>(&a)) return *gateway == std::get<neighbour_key>(b);
  if (auto const* const link = std::get_if<on_link>(&a)) return link->interface == std::get<on_link>(b).interface;
  return true;
}

}  // namespace

route_map routes_of(network_config const& config, need_check const& need) {
  route_map all;
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    for (auto const& address : config.interfaces[i].addresses) {
      all.insert_or_assign(address, wanted_route{on_link{interface_index{static_cast<std::uint16_t>(i)}}, 0});
    }
  }
  wire_finder wires{config};
  for (auto const& route : config.routes) {
    if (need) need();
    all.insert_or_assign(route.to, wanted_route{target_of(config, route, wires), route.line});
  }
  keep_routers(config, all);
  return all;
}

std::vector<route_edit> edits_between(route_map const& before, route_map const& after) {
  std::vector<route_edit> edits;
  // Longer prefixes come before the ones around them, and go after them: an own address stays one meanwhile.
  std::for_each(after.rbegin(), after.rend(), [&](route_map::value_type const& one) {
    auto const& [to, wanted] = one;
    auto const there = before.find(to);
    if (there == before.end()) {
      edits.push_back({to, std::nullopt, wanted});
    } else if (!same(there->second.target, wanted.target)) {
      edits.push_back({to, there->second.target, wanted});
    }
  });
  for (auto const& [to, had] : before) {
    if (!after.contains(to)) edits.push_back({to, had.target, std::nullopt});
  }
  return edits;
}

}  // namespace packetwarp

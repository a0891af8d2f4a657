// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/router_module.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "module/router/route_room.h"
#include "module/router/twin_sharing.h"

namespace packetwarp {
namespace {

[[noreturn]] void refuse_line(network_config const& config, int line, std::string const& why) {
  throw usage_error(fmt::format("{}:{}: {}", config.file, line, why));
}

}  // namespace

router_module::router_module(module_surroundings const& around)
    : table_{around.routes}, in_force_{std::make_shared<network_settings>(network_settings{around.config, {}})} {}

table_refs<router> router_module::stage::refs_at(stage_place const& place) const {
  interface_index const ingress{place.ingress};
  return {table_.cpu(ingress), table_.gpu(ingress, place.planned.gpu_position)};
}

void router_module::prepare(plan& planned) {
  auto const config = in_force_->config;
  in_force_ = std::make_shared<network_settings>(network_settings{config, routes_of(*config)});
  require_room(*in_force_, table_.limits());
  table_.set_source_routes(config->source_routes);
  add_interfaces(*config, planned);
  add_routes(*config);
}

void router_module::add_interfaces(network_config const& config, plan const& planned) {
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    auto const& one = config.interfaces[i];
    try {
      auto const index = table_.add_interface(one.mac.value_or(planned.ports[i].facts.mac), one.mtu);
      for (auto const& address : one.addresses) table_.add_address(index, address);
      for (auto const& twin : planned.twins) {
        if (twin.port == i) share_with_twin(table_, index, twin.config);
      }
    } catch (usage_error const& wrong) {
      refuse_line(config, one.line, wrong.what());
    }
  }
}

void router_module::add_routes(network_config const& config) {
  for (auto const& [to, route] : in_force_->routes) {
    // An interface's own prefix came with its address; an own address that a longer route is around did not.
    if (route.line == 0 && to.length != bits_of(to.address)) continue;
    try {
      table_.set_route(to, route.target);
    } catch (usage_error const& wrong) {
      refuse_line(config, route.line, wrong.what());
    }
  }
}

void router_module::attach(control_access const& control) {
  control_.emplace(control);
  control_actions actions;
  auto const& config = *in_force_->config;
  for (auto const& one : config.neighbours) {
    try {
      control.plane.add_neighbour({index_of(config, one.interface), one.address}, one.mac, actions);
    } catch (usage_error const& wrong) {
      refuse_line(config, one.line, wrong.what());
    }
  }
  control.carry_out(actions);
  table_.commit();
}

void router_module::put(neighbour_key const& who, std::optional<wire::mac_address> const& mac) {
  control_actions actions;
  if (mac) {
    control_->plane.add_neighbour(who, *mac, actions);
  } else {
    control_->plane.remove_neighbour(who, actions);
  }
  control_->carry_out(actions);
}

void router_module::put(ip_prefix const& to, std::optional<route_target> const& target) {
  if (target) {
    table_.begin_set_route(to, *target);
  } else {
    (void)table_.begin_remove_route(to);
  }
}

std::unique_ptr<module_change> router_module::change_to(std::shared_ptr<network_config const> wanted) {
  return std::make_unique<router_change>(*this, std::move(wanted));
}

}  // namespace packetwarp

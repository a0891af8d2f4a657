// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace packetwarp {
namespace {

// The port that an interface stands on, by its name or its number.
[[nodiscard]] port_id port_of(network_config const& config, interface_config const& one, machine_facts const& machine) {
  std::string names;
  for (auto const& port : machine.ports) {
    if (port.name == one.device || std::to_string(port.id.value()) == one.device) return port.id;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", port.id.value(), port.name);
  }
  throw usage_error(fmt::format("{}:{}: port '{}' does not exist; there are {}", config.file, one.line, one.device,
                                names.empty() ? "none: give a device (-a) or --vdev" : names));
}

[[nodiscard]] data_plane_config plane_of(network_config const& config, machine_facts const& machine) {
  auto plane = config.plane;
  for (auto const& one : config.interfaces) {
    auto const port = port_of(config, one, machine);
    // By its name and by its number: the same port, which only shows now.
    auto const same = std::find(plane.ports.begin(), plane.ports.end(), port);
    if (same != plane.ports.end()) {
      auto const& other = config.interfaces[static_cast<std::size_t>(same - plane.ports.begin())];
      throw usage_error(fmt::format("{}:{}: port '{}' is interface {}'s, as '{}'; give each interface a port",
                                    config.file, one.line, one.device, other.name, other.device));
    }
    plane.ports.push_back(port);
  }
  // A NIC puts packets into each receive queue that rules speak of: somebody has to look there.
  if (config.rules && config.rules->on == rules_on::nic && plane.pipelines == 0) {
    plane.pipelines = static_cast<std::uint16_t>(config.rules->receive_queues * plane.ports.size());
  }
  return plane;
}

[[nodiscard]] table_place place_of(data_plane_config const& plane) {
  return needs_gpu(plane.executor) ? table_place{plane.gpu.indexes.front()} : table_place{};
}

}  // namespace

network::network(network_config config, machine_facts const& machine)
    : config_{std::move(config)}, router_{[&] {
        // The GPU is opened before anything is put there.
        auto const place = place_of(config_.plane);
        if (place.gpu != table_place::host) (void)open_gpu(place.gpu);
        return place;
      }()} {
  if (needs_gpu(config_.plane.executor) && config_.plane.gpu.indexes.size() > 1) {
    throw usage_error(fmt::format("{}: data_plane.gpus: the tables are in one GPU's memory; give one", config_.file));
  }
  auto planned = make_plan(plane_of(config_, machine), machine);
  add_interfaces(planned);
  add_routes();
  add_functions(planned);
  plane_ = std::make_unique<data_plane>(std::move(planned), [this](std::deque<port>& ports) {
    if (rules_) rules_->install(ports, place_of(config_.plane));
    return tables();
  });
  if (rules_) plane_->add_notices(rules_->notices());
  control_ = std::make_unique<control_plane>(router_, plane_->pool().get(), control_settings{},
                                             translation_ ? translation_->hooks() : control_hooks{});
  service_ = std::make_unique<control_service>(plane_->planned(), *plane_->desk(), *control_);
  add_neighbours();
  router_.commit();
}

network::~network() {
  if (!plane_ || !plane_->runs_on()) return;
  router_.abandon();
  if (translation_) translation_->abandon();
  if (rules_) rules_->abandon();
}

void network::work(cycles now) {
  service_->poll(now);
  if (translation_) translation_->maintain(service_->time_of(now), plane_->failed_over() != 0);
}

void network::give_up() {
  service_->give_up();
  // What packets did since the master last looked is logged too.
  if (translation_) translation_->maintain(service_->time_of(now_cycles()), plane_->failed_over() != 0);
}

std::optional<std::vector<telemetry::rule_report>> network::rules_report() const {
  if (!rules_) return std::nullopt;
  std::vector<telemetry::rule_report> made;
  // What a kernel still runs on cannot be read.
  if (plane_->runs_on()) return made;
  for (auto const& one : rules_->status(plane_->ports())) {
    made.push_back({.port = one.port.value(),
                    .number = one.rule->number,
                    .line = one.rule->line,
                    .group = one.rule->what.attr.group.value_or(0),
                    .priority = one.rule->what.attr.priority.value_or(0),
                    .on = std::string{to_string(one.site)},
                    .why = one.why,
                    .hits = {},
                    .bytes = {}});
    if (!one.seen) continue;
    made.back().hits = one.seen->hits;
    made.back().bytes = one.seen->bytes;
  }
  return made;
}

void network::add_functions(plan& planned) {
  auto const place = place_of(config_.plane);
  if (config_.nat44) {
    try {
      translation_.emplace(*config_.nat44, router_, place);
    } catch (usage_error const& wrong) {
      refuse(config_.nat44->line, wrong.what());
    }
  }
  if (!config_.rules) return;
  rules_.emplace(*config_.rules, config_.file, config_.plane);
  rules_->prepare(planned);
}

function_tables network::tables() {
  function_tables made{.router = &router_};
  if (translation_) made.nat44 = &translation_->table();
  if (rules_) {
    made.rules = &rules_->cpu();
    made.rules_of_gpu = &rules_->gpu();
  }
  return made;
}

void network::refuse(int line, std::string const& why) const {
  throw usage_error(fmt::format("{}:{}: {}", config_.file, line, why));
}

interface_index network::find(std::string const& name) const {
  auto const& all = config_.interfaces;
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.name == name; });
  return interface_index{static_cast<std::uint16_t>(found - all.begin())};
}

void network::add_interfaces(plan const& planned) {
  for (std::size_t i = 0; i < config_.interfaces.size(); ++i) {
    auto const& one = config_.interfaces[i];
    try {
      auto const index = router_.add_interface(one.mac.value_or(planned.ports[i].facts.mac), one.mtu);
      for (auto const& address : one.addresses) router_.add_address(index, address);
    } catch (usage_error const& wrong) {
      refuse(one.line, wrong.what());
    }
  }
}

void network::add_routes() {
  for (auto const& one : config_.routes) {
    try {
      if (one.discard) {
        router_.set_route(one.to, discard{});
      } else if (!one.via) {
        router_.set_route(one.to, on_link{find(one.interface)});
      } else if (!one.interface.empty()) {
        router_.set_route(one.to, neighbour_key{find(one.interface), *one.via});
      } else {
        auto const by = router_.resolve(*one.via);
        if (!by)
          refuse(one.line, fmt::format("via {}: no interface has it on its wire; give 'interface'", to_text(*one.via)));
        router_.set_route(one.to, neighbour_key{by->interface, *one.via});
      }
    } catch (usage_error const& wrong) {
      if (std::string_view{wrong.what()}.starts_with(config_.file)) throw;
      refuse(one.line, wrong.what());
    }
  }
}

void network::add_neighbours() {
  control_actions actions;
  for (auto const& one : config_.neighbours) {
    try {
      control_->add_neighbour({find(one.interface), one.address}, one.mac, actions);
    } catch (usage_error const& wrong) {
      refuse(one.line, wrong.what());
    }
  }
  service_->carry_out(actions);
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/network.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "network/network_plane.h"
#include "network/network_twins.h"

namespace packetwarp {
namespace {

// The GPU is opened before anything is put there.
[[nodiscard]] std::shared_ptr<gpu_domain> make_domain(data_plane_config const& plane) {
  if (!needs_gpu(plane.executor)) return nullptr;
  auto const index = plane.gpu.indexes.front();
  (void)open_gpu(index);
  return std::make_shared<gpu_domain>(index, make_cuda_driver(index), gpu_domain::patience{});
}

}  // namespace

network::network(network_config config, machine_facts const& machine)
    : settings_{std::move(config), {}}, domain_{make_domain(settings_.config.plane)}, router_{place()} {
  if (needs_gpu(settings_.config.plane.executor) && settings_.config.plane.gpu.indexes.size() > 1) {
    throw usage_error(
        fmt::format("{}: data_plane.gpus: the tables are in one GPU's memory; give one", settings_.config.file));
  }
  auto planned = make_plan(plane_of(settings_.config, machine), machine);
  if (auto const port = kni_port_without_twin(planned)) {
    throw usage_error(fmt::format(
        "{}: a kni worker serves kernel interfaces, and port {} has none beside it; give its interface 'kernel: true'",
        planned.kni->place, port->value()));
  }
  add_interfaces(planned);
  add_routes();
  add_functions(planned);
  auto const make_tables = [this](std::deque<port>& ports) {
    if (rules_) rules_->install(ports, place());
    return tables();
  };
  plane_ = std::make_unique<data_plane>(std::move(planned), make_tables,
                                        domain_ ? gpu_domains{{domain_->gpu(), domain_}} : gpu_domains{});
  grace_ = std::make_unique<grace_period>(*plane_);
  watch_.emplace(plane_->workers(), to_cycles(plane_->planned().config.message_timeout));
  control_settings settings;
  settings.with_twin = interfaces_with_twin(settings_.config);
  control_ = std::make_unique<control_plane>(router_, plane_->pool().get(), settings,
                                             translation_ ? translation_->hooks() : control_hooks{});
  if (translation_) control_->claim(translation_->outside_addresses());
  service_ = std::make_unique<control_service>(plane_->planned(), *plane_->desk(), *control_, plane_->twin_links(),
                                               plane_->departures(), capture_tap{plane_->captures()});
  captures_ = std::make_unique<capture_service>(*plane_);
  add_neighbours();
  router_.commit();
}

network::~network() {
  if (!plane_ || !plane_->runs_on()) return;
  router_.abandon();
  if (translation_) translation_->abandon();
  if (rules_) rules_->abandon();
  if (domain_) domain_->driver().abandon();
}

table_place network::place() const { return domain_ ? table_place{domain_->gpu(), domain_.get()} : table_place{}; }

std::shared_ptr<void> network::begin_change() {
  if (change_ != change_state::none) return nullptr;
  change_ = change_state::under_way;
  return {this, [this](void*) {
            change_ = change_state::settling;
            router_.mark();
            grace_->begin();
          }};
}

// Next hops come and go with what packets ask for, too.
void network::reclaim(cycles now) {
  if (change_ == change_state::settling && grace_->is_over()) {
    router_.reclaim();
    change_ = change_state::none;
    reclaimed_ = now;
  } else if (change_ == change_state::none && now - reclaimed_ >= to_cycles(std::chrono::seconds{1})) {
    change_ = change_state::settling;
    router_.mark();
    grace_->begin();
  }
}

void network::work(cycles now, run_phase phase) {
  reclaim(now);
  watch_->look(now);
  service_->poll(now);
  serve_twins({.now = now, .phase = phase});
  captures_->poll(now);
  if (translation_) translation_->maintain(service_->time_of(now));
}

// Round after round while packets come, to a bound: looks are rarer than a kernel's packets.
void network::serve_twins(tick const& t) {
  constexpr int most_rounds = 16;
  for (int round = 0; round < most_rounds && plane_->serve_twins(t) != 0; ++round) served_ = t.now;
}

std::chrono::nanoseconds network::rest() const {
  constexpr std::chrono::microseconds rest_beside_twin{100};
  constexpr std::chrono::milliseconds stays_awake{1};
  if (!plane_->serves_twins()) return std::chrono::milliseconds{1};
  return now_cycles() - served_ < to_cycles(stays_awake) ? std::chrono::nanoseconds{0} : rest_beside_twin;
}

void network::give_up() {
  service_->give_up();
  plane_->give_up_twins();
  captures_->finish();
  if (!translation_) return;
  // What packets did since the master last looked is logged too.
  translation_->maintain(service_->time_of(now_cycles()));
  translation_->finish_log();
}

void network::save() {
  if (translation_) translation_->save_state();
}

void network::check(network_edits const& edits) const {
  for (auto const& one : edits.neighbours) {
    try {
      if (one.after) router_.check_neighbour(one.who, *one.after);
    } catch (usage_error const& wrong) {
      refuse(one.line, wrong.what());
    }
  }
}

nat::change network::plan_nat44(nat44_section const& wanted) {
  try {
    return translation_->table().plan_change(wanted.config);
  } catch (usage_error const& wrong) {
    refuse(wanted.line, wrong.what());
  }
}

void network::publish_nat44(nat::change made) {
  translation_->table().publish(std::move(made));
  control_->claim(translation_->outside_addresses());
}

void network::link_came_up(port_id which) {
  auto const& ports = plane_->planned().ports;
  auto const found = std::find_if(ports.begin(), ports.end(), [&](auto const& one) { return one.facts.id == which; });
  if (found != ports.end()) control_->announce(static_cast<interface_index>(found - ports.begin()));
}

void network::put(neighbour_key const& who, std::optional<wire::mac_address> const& mac) {
  control_actions actions;
  if (mac) {
    control_->add_neighbour(who, *mac, actions);
  } else {
    control_->remove_neighbour(who, actions);
  }
  service_->carry_out(actions);
}

void network::put(ip_prefix const& to, std::optional<route_target> const& target) {
  if (target) {
    router_.begin_set_route(to, *target);
  } else {
    (void)router_.begin_remove_route(to);
  }
}

void network::begin_edit(network_edits const& edits, std::size_t n) {
  auto const neighbours = edits.neighbours.size();
  if (n < neighbours) return put(edits.neighbours[n].who, edits.neighbours[n].after);
  auto const& route = edits.routes[n - neighbours];
  put(route.to, route.after ? std::optional{route.after->target} : std::nullopt);
}

void network::begin_undo(network_edits const& edits, std::size_t n) {
  auto const neighbours = edits.neighbours.size();
  if (n < neighbours) return put(edits.neighbours[n].who, edits.neighbours[n].before);
  put(edits.routes[n - neighbours].to, edits.routes[n - neighbours].before);
}

void network::add_functions(plan& planned) {
  if (settings_.config.nat44) {
    try {
      translation_.emplace(*settings_.config.nat44, router_, place());
      if (domain_) domain_->on_loss([this] { translation_->gpu_lost(); });
    } catch (usage_error const& wrong) {
      refuse(settings_.config.nat44->line, wrong.what());
    }
  }
  if (!settings_.config.rules) return;
  rules_.emplace(*settings_.config.rules, settings_.config.file, settings_.config.plane);
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
  throw usage_error(fmt::format("{}:{}: {}", settings_.config.file, line, why));
}

void network::add_interfaces(plan const& planned) {
  router_.set_source_routes(settings_.config.source_routes);
  for (std::size_t i = 0; i < settings_.config.interfaces.size(); ++i) {
    auto const& one = settings_.config.interfaces[i];
    try {
      auto const index = router_.add_interface(one.mac.value_or(planned.ports[i].facts.mac), one.mtu);
      for (auto const& address : one.addresses) router_.add_address(index, address);
      for (auto const& twin : planned.twins) {
        if (twin.port == i) share_with_twin(router_, index, twin.config);
      }
    } catch (usage_error const& wrong) {
      refuse(one.line, wrong.what());
    }
  }
}

void network::add_routes() {
  settings_.routes = routes_of(settings_.config);
  for (auto const& [to, route] : settings_.routes) {
    // An interface's own prefix came with its address.
    if (route.line == 0) continue;
    try {
      router_.set_route(to, route.target);
    } catch (usage_error const& wrong) {
      refuse(route.line, wrong.what());
    }
  }
}

void network::add_neighbours() {
  control_actions actions;
  for (auto const& one : settings_.config.neighbours) {
    try {
      control_->add_neighbour({index_of(settings_.config, one.interface), one.address}, one.mac, actions);
    } catch (usage_error const& wrong) {
      refuse(one.line, wrong.what());
    }
  }
  service_->carry_out(actions);
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/network.h"

#include <algorithm>

#include "base/error.h"
#include "module/modules.h"
#include "network/network_plane.h"
#include "network/network_twins.h"

namespace packetwarp {
namespace {

// A GPU that is given more time for bursts, because others share it, needs more for copies, too.
[[nodiscard]] gpu_domain::patience patience_of(gpu_config const& gpu) {
  gpu_domain::patience made;
  made.copies = std::max<std::chrono::nanoseconds>(made.copies, gpu.timeout / 5);
  return made;
}

// GPUs are opened before any table is placed on them.
[[nodiscard]] gpu_domains make_domains(data_plane_config const& plane) {
  gpu_domains made;
  if (!needs_gpu(plane.executor)) return made;
  for (auto const index : plane.gpu.indexes) {
    (void)open_gpu(index);
    made.emplace(index, std::make_shared<gpu_domain>(index, make_cuda_driver(index), patience_of(plane.gpu)));
  }
  return made;
}

}  // namespace

network::network(network_config config, machine_facts const& machine)
    : config_{std::make_shared<network_config>(std::move(config))},
      domains_{make_domains(config_->plane)},
      router_{places(), config_->tables} {
  auto planned = plan_of(*config_, machine);
  make_modules(planned);
  auto const make_tables = [this](std::deque<port>& ports) {
    function_tables made;
    for (auto const& one : modules_) {
      one->install(ports);
      one->add_tables(made);
    }
    return made;
  };
  plane_ = std::make_unique<data_plane>(std::move(planned), make_tables, domains_);
  turns_.emplace(*plane_, modules_);
  watch_.emplace(plane_->workers(), to_cycles(plane_->planned().config.message_timeout));
  make_control();
  captures_ = std::make_unique<capture_service>(*plane_);
}

network::~network() {
  if (!plane_ || !plane_->runs_on()) return;
  for (auto const& one : modules_) one->abandon();
  for (auto const& [index, domain] : domains_) domain->driver().abandon();
}

void network::make_modules(plan& planned) {
  module_surroundings const around{.config = config_, .places = places(), .routes = router_};
  for (auto const* const kind : module_kinds()) {
    auto made = kind->make(around);
    if (!made) continue;
    modules_.push_back(std::move(made));
    modules_.back()->prepare(planned);
  }
  for (auto const& [index, domain] : domains_) {
    domain->on_loss([this, gpu = index] {
      for (auto const& one : modules_) one->on_gpu_lost(gpu);
    });
  }
}

void network::make_control() {
  control_settings settings;
  settings.with_twin = interfaces_with_twin(*config_);
  control_hooks hooks;
  for (auto const& one : modules_) one->add_hooks(hooks);
  control_ = std::make_unique<control_plane>(router_, plane_->pool().get(), settings, std::move(hooks));
  service_ = std::make_unique<control_service>(plane_->planned(), *plane_->desk(), *control_, plane_->twin_links(),
                                               plane_->departures(), capture_tap{plane_->captures()});
  control_access const access{*control_, [this](control_actions& actions) { service_->carry_out(actions); }};
  for (auto const& one : modules_) one->attach(access);
  for (std::size_t n = 0; n < config_->interfaces.size(); ++n) control_->announce(static_cast<interface_index>(n));
}

std::vector<std::string> network::own_files() const {
  module_files of_config{.read = {config_->file}, .written = {}};
  for (auto const* const kind : module_kinds()) kind->add_files(*config_, of_config);
  auto all = files_of_command_;
  for (auto const* const some : {&of_config.read, &of_config.written})
    all.insert(all.end(), some->begin(), some->end());
  return all;
}

// In the order of the config, which a pipeline's gpu_position counts by.
table_places network::places() const {
  std::vector<table_place> made;
  if (domains_.empty()) return {};
  for (auto const index : config_->plane.gpu.indexes) made.push_back({index, domains_.at(index).get()});
  return table_places{std::move(made)};
}

void network::work(cycles now, run_phase phase) {
  turns_->poll(now);
  watch_->look(now);
  service_->poll(now);
  serve_twins({.now = now, .phase = phase});
  captures_->poll(now);
  auto const since = service_->time_of(now);
  for (auto const& one : modules_) one->maintain(since, maintain_budget{});
}

// Rounds go on while packets come, up to a bound: loop iterations are rarer than a kernel's packets.
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

stage_module* network::find(std::string_view module) const {
  for (auto const& one : modules_) {
    if (one->name() == module) return one.get();
  }
  return nullptr;
}

void network::drain(announced_routes how) {
  for (auto const& one : modules_) one->drain();
  if (how == announced_routes::withdrawn) plane_->withdraw_routes();
  left_ = how;
}

void network::give_up() {
  service_->give_up();
  plane_->give_up_twins();
  captures_->finish();
  auto const since = service_->time_of(now_cycles());
  for (auto const& one : modules_) one->finish(since);
}

void network::save() {
  for (auto const& one : modules_) one->save();
}

void network::keep_twins() {
  if (left_ == announced_routes::kept) plane_->keep_twins();
}

void network::link_came_up(port_id which) {
  auto const& ports = plane_->planned().ports;
  auto const found = std::find_if(ports.begin(), ports.end(), [&](auto const& one) { return one.facts.id == which; });
  if (found != ports.end()) control_->announce(static_cast<interface_index>(found - ports.begin()));
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/port_removals.h"

#include <algorithm>
#include <utility>

#include "base/log/log.h"

namespace packetwarp {

port_removals::port_removals(std::deque<port>& ports, workforce& workers, removal_signs const& signs, hooks on)
    : ports_{ports}, workers_{workers}, signs_{signs}, on_{std::move(on)} {
  for (std::size_t n = 0; n < ports.size(); ++n) {
    auto const& facts = ports[n].facts();
    auto const& name = facts.device.empty() ? facts.name : facts.device;
    auto const known = std::find_if(devices_.begin(), devices_.end(), [&](auto const& d) { return d.name == name; });
    auto& one = known != devices_.end() ? *known : devices_.emplace_back(device{.name = name, .ports = {}});
    one.ports.push_back(n);
  }
}

void port_removals::look(cycles now) {
  for (auto& d : devices_) {
    if (d.at == stage::here && is_asked_back(d)) begin(d, now);
    if (d.at == stage::leaving && d.told->is_done()) {
      for (auto const n : d.ports) on_.leave(ports_[n].facts().id);
      d.drains_until = now + to_cycles(drain_time);
      d.at = stage::draining;
    }
    if (d.at == stage::draining && !is_calling() && on_.may_call() && has_drained(d, now)) close(d);
    if (d.at == stage::closing && !closer_->is_busy()) end(d, now);
  }
}

bool port_removals::is_asked_back(device const& d) const {
  return std::any_of(d.ports.begin(), d.ports.end(), [this](auto n) { return signs_.is_asked_back(n); });
}

void port_removals::begin(device& d, cycles now) {
  std::vector<port_id> ids;
  for (auto const n : d.ports) {
    ports_[n].ask_back();
    ids.push_back(ports_[n].facts().id);
  }
  d.told.emplace(workers_, std::make_shared<leave_port>(std::move(ids)));
  d.since = now;
  d.at = stage::leaving;
}

bool port_removals::has_drained(device const& d, cycles now) const {
  return now >= d.drains_until ||
         std::all_of(d.ports.begin(), d.ports.end(), [this](auto n) { return on_.has_drained(ports_[n].facts().id); });
}

void port_removals::close(device& d) {
  // std::function copies its target, but ports cannot be copied.
  auto const closing = std::make_shared<std::vector<removed_port>>();
  for (auto const n : d.ports) closing->push_back(ports_[n].take_apart());
  closer_.emplace("pw-unplug", d.name, [closing] { return give_back(std::move(*closing)); });
  d.at = stage::closing;
}

void port_removals::end(device& d, cycles now) {
  auto const refusal = closer_->refusal();
  closer_.reset();
  d.at = stage::gone;
  if (refusal) {
    log().error("device {}: it cannot be given back: {}; the removal of the device waits until packetwarp ends", d.name,
                *refusal);
    return;
  }
  for (auto const n : d.ports) ports_[n].note_given_back();
  log().info("device {}: given back after {:.0f} ms", d.name, to_nanoseconds(now - d.since) / 1e6);
}

}  // namespace packetwarp

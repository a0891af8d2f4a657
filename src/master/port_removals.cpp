// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/port_removals.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "base/log/log.h"
#include "base/sleep.h"

namespace packetwarp {

port_removals::port_removals(std::deque<port>& ports, workforce& workers, hooks on)
    : ports_{ports}, workers_{workers}, on_{std::move(on)}, signs_{ports} {
  for (std::size_t n = 0; n < ports.size(); ++n) {
    auto const& facts = ports[n].facts();
    auto const& name = facts.device.empty() ? facts.name : facts.device;
    auto const known = std::find_if(devices_.begin(), devices_.end(), [&](auto const& d) { return d.name == name; });
    auto& one = known != devices_.end() ? *known : devices_.emplace_back(device{.name = name, .ports = {}});
    one.ports.push_back(n);
  }
}

port_removals::~port_removals() {
  if (!closer_) return;
  auto const until = now_cycles() + to_cycles(close_time);
  while (closer_->is_busy() && now_cycles() < until) sleep_for(std::chrono::milliseconds{1});
  if (!closer_->is_busy()) return;
  auto const closing =
      std::find_if(devices_.begin(), devices_.end(), [](auto const& d) { return d.at == stage::closing; });
  log().critical("device {}: its driver does not return; leaving it there", closing->name);
  std::_Exit(exit_failure);
}

void port_removals::tell_of_resets() {
  for (std::size_t n = 0; n < ports_.size(); ++n) {
    if (!signs_.take_reset(n)) continue;
    auto const& facts = ports_[n].facts();
    log().warn("port {} ({}): its physical function was reset; it may pass nothing until packetwarp is started again",
               facts.id.value(), facts.name);
  }
}

void port_removals::look(cycles now) {
  tell_of_resets();
  for (auto& d : devices_) {
    if (d.at == stage::here && is_asked_back(d)) begin(d, now);
    if (d.at == stage::leaving && have_left(d)) {
      for (auto const n : d.ports) on_.leave(ports_[n].facts().id);
      d.drains_until = now + to_cycles(drain_time);
      d.at = stage::draining;
    }
    if (d.at == stage::draining && !closer_ && has_drained(d, now)) close(d);
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
  d.message = std::make_shared<leave_port>(std::move(ids));
  for (auto const& [lcore, one] : workers_.workers()) {
    if (one->has_jobs()) d.workers.push_back({.lcore = lcore, .message = {}});
  }
  d.since = now;
  d.at = stage::leaving;
}

bool port_removals::have_left(device& d) {
  bool all = true;
  for (auto& one : d.workers) {
    if (!one.message) one.message = workers_.post(one.lcore, d.message);
    all &= one.message && workers_.on(one.lcore).mail().is_done(*one.message);
  }
  return all;
}

bool port_removals::has_drained(device const& d, cycles now) const {
  return now >= d.drains_until ||
         std::all_of(d.ports.begin(), d.ports.end(), [this](auto n) { return on_.has_drained(ports_[n].facts().id); });
}

void port_removals::close(device& d) {
  // std::function copies its target, and ports cannot be copied.
  auto const closing = std::make_shared<std::vector<removed_port>>();
  for (auto const n : d.ports) closing->push_back(ports_[n].take_apart());
  d.closed = std::make_shared<outcome>();
  closer_.emplace("pw-unplug");
  (void)closer_->begin([closing, result = d.closed] { result->refusal = give_back(std::move(*closing)); });
  d.at = stage::closing;
}

void port_removals::end(device& d, cycles now) {
  closer_.reset();
  d.at = stage::gone;
  if (d.closed->refusal) {
    log().error("device {}: it cannot be given back: {}; the removal of the device waits until packetwarp ends", d.name,
                *d.closed->refusal);
    return;
  }
  for (auto const n : d.ports) ports_[n].note_given_back();
  log().info("device {}: given back after {:.0f} ms", d.name, to_nanoseconds(now - d.since) / 1e6);
}

}  // namespace packetwarp

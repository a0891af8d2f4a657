// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/port_watch.h"

#include <algorithm>
#include <utility>

#include "base/log/log.h"

namespace packetwarp {

std::string_view to_string(port_state state) {
  switch (state) {
    case port_state::up:
      return "up";
    case port_state::down:
      return "down";
    case port_state::lost:
      return "lost";
    case port_state::removed:
      return "removed";
  }
  return "unknown";
}

port_watch::port_watch(std::deque<port> const& ports, link_gates gates) : gates_{gates} {
  for (auto const& p : ports) {
    bool const up = p.is_link_up();
    states_.push_back({.watched = &p, .up = up, .was_up = up, .gone = false});
  }
}

port_state port_watch::state_of(std::size_t n) const {
  auto const& s = states_[n];
  if (s.presence != port_presence::here) return port_state::removed;
  if (s.gone) return port_state::lost;
  return s.up ? port_state::up : port_state::down;
}

bool port_watch::is_gone(port_id id) const {
  return std::any_of(states_.begin(), states_.end(),
                     [id](state const& s) { return s.gone && s.watched->facts().id == id; });
}

void port_watch::look(cycles now) {
  if (settled_ == 0) settled_ = now + to_cycles(settling);
  for (auto& s : states_) {
    look_for_removal(s);
    look_for_restart(s);
  }
  for (auto& s : states_) {
    if (s.gone || now < s.next_look) continue;
    s.next_look = now + to_cycles(s.watched->link() != nullptr ? between_looks_at_gates : between_looks);
    look_at(s, now);
  }
}

void port_watch::look_for_removal(state& s) {
  auto const presence = s.watched->presence();
  if (presence == s.presence) return;
  bool const is_new = s.presence == port_presence::here;
  s.presence = presence;
  auto const& facts = s.watched->facts();
  if (is_new) {
    if (!s.gone) ++gone_;
    s.gone = true;
    ++removed_;
    log().warn("port {} ({}): its device is taken away; nothing comes from it or leaves by it any more",
               facts.id.value(), facts.name);
    tell(port_event::removed, s);
  }
  if (presence == port_presence::given_back) tell(port_event::given_back, s);
}

void port_watch::look_for_restart(state& s) const {
  auto const restarts = s.watched->restarts();
  if (std::exchange(s.restarts, restarts) != restarts) tell(port_event::restarted, s);
}

void port_watch::set_gate(state const& s, cycles now) const {
  auto* const gate = s.watched->link();
  if (gate == nullptr || gates_ == link_gates::stay_open) return;
  bool const is_down = !s.up && (s.was_up || now >= settled_);
  if (s.gone || is_down) {
    gate->shut();
  } else {
    gate->open();
  }
}

void port_watch::look_at(state& s, cycles now) {
  auto const& facts = s.watched->facts();
  if (!s.watched->has_its_interface()) {
    s.gone = true;
    ++gone_;
    set_gate(s, now);
    log().error("port {} ({}): its kernel interface {} is gone; nothing comes from it or leaves by it any more",
                facts.id.value(), facts.name, facts.own_tap.empty() ? facts.kernel_interface : facts.own_tap);
    tell(port_event::lost, s);
    return;
  }
  s.watched->follow_mtu();
  bool const up = s.watched->is_link_up();
  bool const is_news = std::exchange(s.up, up) != up;
  s.was_up |= up;
  set_gate(s, now);
  if (!is_news) return;
  if (up) {
    log().info("port {} ({}): link up", facts.id.value(), facts.name);
  } else {
    log().warn("port {} ({}): link down; packets for it wait, then are dropped as \"tx_full\"", facts.id.value(),
               facts.name);
  }
  tell(up ? port_event::link_up : port_event::link_down, s);
}

}  // namespace packetwarp

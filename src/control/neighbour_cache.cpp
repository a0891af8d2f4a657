// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/neighbour_cache.h"

#include <fmt/format.h>
#include <rte_mbuf.h>

#include "base/error.h"

namespace packetwarp {

neighbour_cache::~neighbour_cache() {
  for (auto& [neighbour, known] : neighbours_) {
    for (auto const& held : known.waiting) rte_pktmbuf_free(held.packet);
  }
}

void neighbour_cache::hold(neighbour_key const& neighbour, held_packet const& packet, control_time now,
                           neighbour_events& events) {
  auto at = neighbours_.find(neighbour);
  if (at == neighbours_.end()) {
    if (neighbours_.size() >= settings_.neighbours) {
      events.refused.push_back({packet, control_drop::neighbours_full});
      return;
    }
    at = neighbours_.emplace(neighbour, record{}).first;
    ask(neighbour, at->second, now, events);
  }
  auto& known = at->second;
  if (known.state != neighbour_state::incomplete) {
    events.ready.push_back(packet);
    return;
  }
  if (known.waiting.size() >= settings_.held_each && !known.waiting.empty()) {
    // The newest is the likeliest to be waited for still (RFC 1122, 2.3.2.2).
    events.refused.push_back({known.waiting.front(), control_drop::hold_full});
    known.waiting.pop_front();
    --held_;
  }
  if (held_ >= settings_.held) {
    events.refused.push_back({packet, control_drop::hold_full});
    return;
  }
  known.waiting.push_back(packet);
  ++held_;
}

bool neighbour_cache::learn(neighbour_key const& neighbour, wire::mac_address const& mac, learning of, control_time now,
                            neighbour_events& events) {
  auto at = neighbours_.find(neighbour);
  bool const is_known = at != neighbours_.end();
  if (!is_known && (of == learning::known_only || neighbours_.size() >= settings_.neighbours)) return false;
  if (is_known && at->second.state == neighbour_state::permanent) return false;
  if (!tables_.set_neighbour(neighbour, mac)) return false;
  if (!is_known) at = neighbours_.emplace(neighbour, record{}).first;
  auto& known = at->second;
  known.state = neighbour_state::reachable;
  known.mac = mac;
  known.asked = 0;
  set_timer(neighbour, known, now + settings_.trusted);
  hand_out(known, events.ready);
  return true;
}

void neighbour_cache::add_permanent(neighbour_key const& neighbour, wire::mac_address const& mac,
                                    neighbour_events& events) {
  if (!tables_.set_neighbour(neighbour, mac)) {
    throw failure(fmt::format("neighbour {}: no room for its next hop; make the router with more next hops and hosts",
                              to_text(neighbour.address)));
  }
  auto& known = neighbours_.try_emplace(neighbour, record{}).first->second;
  known.state = neighbour_state::permanent;
  known.mac = mac;
  if (known.timer) timers_.erase(*known.timer);
  known.timer.reset();
  hand_out(known, events.ready);
}

void neighbour_cache::forget(neighbour_key const& neighbour, neighbour_events& events) {
  auto const at = neighbours_.find(neighbour);
  if (at == neighbours_.end()) return;
  hand_out(at->second, events.silent);
  erase(at);
}

void neighbour_cache::tick(control_time now, neighbour_events& events) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    expire(neighbours_.find(timers_.begin()->second), now, events);
  }
}

void neighbour_cache::expire(records::iterator at, control_time now, neighbour_events& events) {
  auto& [neighbour, known] = *at;
  if (known.state == neighbour_state::reachable) {
    known.state = neighbour_state::stale;
    known.asked = 0;
  }
  if (known.asked < settings_.asks) {
    ask(neighbour, known, now, events);
    return;
  }
  hand_out(known, events.silent);
  erase(at);
}

void neighbour_cache::give_up(neighbour_events& events) {
  for (auto& [neighbour, known] : neighbours_) hand_out(known, events.silent);
}

std::optional<neighbour_state> neighbour_cache::state_of(neighbour_key const& neighbour) const {
  auto const at = neighbours_.find(neighbour);
  return at == neighbours_.end() ? std::nullopt : std::optional{at->second.state};
}

std::optional<wire::mac_address> neighbour_cache::mac_of(neighbour_key const& neighbour) const {
  auto const at = neighbours_.find(neighbour);
  if (at == neighbours_.end() || at->second.state == neighbour_state::incomplete) return std::nullopt;
  return at->second.mac;
}

void neighbour_cache::set_timer(neighbour_key const& neighbour, record& of, control_time due) {
  if (of.timer) timers_.erase(*of.timer);
  of.timer = timers_.emplace(due, neighbour);
}

void neighbour_cache::ask(neighbour_key const& neighbour, record& of, control_time now, neighbour_events& events) {
  ++of.asked;
  events.questions.push_back(
      {neighbour, of.state == neighbour_state::incomplete ? std::nullopt : std::optional{of.mac}});
  set_timer(neighbour, of, now + settings_.between_asks);
}

void neighbour_cache::hand_out(record& of, std::vector<held_packet>& to) {
  to.insert(to.end(), of.waiting.begin(), of.waiting.end());
  held_ -= of.waiting.size();
  of.waiting.clear();
}

void neighbour_cache::erase(records::iterator at) {
  tables_.forget_neighbour(at->first);
  if (at->second.timer) timers_.erase(*at->second.timer);
  neighbours_.erase(at);
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/neighbour_cache.h"

#include <fmt/format.h>
#include <rte_mbuf.h>

#include <algorithm>

#include "base/error.h"
#include "control/neighbour_discovery.h"

namespace packetwarp {

neighbour_cache::~neighbour_cache() {
  for (auto& [neighbour, known] : neighbours_) {
    for (auto const& held : known.waiting) rte_pktmbuf_free(held.packet);
  }
}

void neighbour_cache::hold(neighbour_key const& neighbour, held_packet const& packet, control_time now,
                           neighbour_events& events) {
  auto at = neighbours_.find(neighbour);
  if (at == neighbours_.end()) at = begin_asking(neighbour, packet, now, events);
  if (at == neighbours_.end()) return;
  auto& known = at->second;
  if (known.state != neighbour_state::incomplete) {
    events.ready.push_back(packet);
    return;
  }
  auto& budget = budget_of(neighbour.interface);
  if (known.waiting.size() >= settings_.held_each && !known.waiting.empty()) {
    // The newest packet is the likeliest to be still awaited (RFC 1122, 2.3.2.2).
    events.refused.push_back({known.waiting.front(), control_drop::hold_full});
    known.waiting.pop_front();
    --held_;
    --budget.held;
  }
  while (budget.held >= settings_.held && budget.asked.front() != neighbour) give_up_oldest(budget, events);
  if (budget.held >= settings_.held) {
    events.refused.push_back({packet, control_drop::hold_full});
    return;
  }
  known.waiting.push_back(packet);
  ++held_;
  ++budget.held;
}

// Returns the end if the neighbour may not be asked for: the packet is refused then.
neighbour_cache::records::iterator neighbour_cache::begin_asking(neighbour_key const& neighbour,
                                                                 held_packet const& packet, control_time now,
                                                                 neighbour_events& events) {
  auto& budget = budget_of(neighbour.interface);
  auto const refuse = [&](control_drop why) {
    events.refused.push_back({packet, why});
    return neighbours_.end();
  };
  if (!has_room(neighbour.interface)) return refuse(control_drop::neighbours_full);
  neighbour_asker const asker{packet.interface, packet.source};
  if (!budget.may_ask(asker, now)) return refuse(control_drop::asking_limited);
  while (budget.asked.size() >= std::max<std::size_t>(settings_.asked, 1)) give_up_oldest(budget, events);
  auto const at = neighbours_.emplace(neighbour, record{}).first;
  at->second.asker = asker;
  at->second.heard = now;
  stand_in_line(neighbour, at->second);
  ask(neighbour, at->second, now, events);
  return at;
}

// A host answers within milliseconds: the neighbour that was asked for first is the likeliest to be absent.
void neighbour_cache::give_up_oldest(neighbour_budget& of, neighbour_events& events) {
  auto const oldest = neighbours_.find(of.asked.front());
  std::vector<held_packet> waited;
  hand_out(oldest->first, oldest->second, waited);
  for (auto const& packet : waited) events.refused.push_back({packet, control_drop::hold_full});
  erase(oldest);
}

bool neighbour_cache::learn(neighbour_key const& neighbour, wire::mac_address const& mac, learning of, control_time now,
                            neighbour_events& events) {
  auto at = neighbours_.find(neighbour);
  bool const is_new = at == neighbours_.end();
  if (is_new && (of == learning::known_only || !budget_of(neighbour.interface).may_learn(now))) return false;
  if (!is_new && at->second.state == neighbour_state::permanent) return false;
  bool const was_known = !is_new && at->second.state != neighbour_state::incomplete;
  if (!was_known && !make_room(neighbour.interface)) return false;
  if (!tables_.set_neighbour(neighbour, mac)) return false;
  if (is_new) at = neighbours_.emplace(neighbour, record{}).first;
  auto& known = at->second;
  bool const has_answered = of == learning::known_only && known.asked != 0;
  bool const is_proved = known.word == trust::proved || has_answered || (!is_new && !was_known);
  bool const has_moved = was_known && !(known.mac == mac);
  known.mac = mac;
  known.heard = now;
  if (is_proved) known.word = trust::proved;
  if (!was_known) become_known(neighbour, known);
  if (is_proved) leave_line(neighbour, known);
  // A repeated message of a host proves no more: it is asked at the time already set.
  if (is_proved || is_new) {
    known.state = neighbour_state::reachable;
    known.asked = 0;
    set_timer(neighbour, known,
              now + (is_proved && (has_answered || !has_moved) ? settings_.trusted : settings_.unproved));
  }
  hand_out(neighbour, known, events.ready);
  return true;
}

bool neighbour_cache::learn(neighbour_key const& neighbour, discovery_message const& said, control_time now,
                            neighbour_events& events) {
  auto const at = neighbours_.find(neighbour);
  if (at == neighbours_.end() || at->second.state == neighbour_state::permanent) return false;
  auto& known = at->second;
  bool const is_solicited = said.why == discovery_message::cause::solicited;
  bool const is_incomplete = known.state == neighbour_state::incomplete;
  bool const has_moved = !is_incomplete && said.mac && !(*said.mac == known.mac);
  if (has_moved && said.says == discovery_message::claim::keep) {
    if (known.state == neighbour_state::reachable) become_stale(neighbour, known, now);
    return false;
  }
  // A host that is asked itself may leave its address out (7.2.4): the asker has it.
  if (is_incomplete ? !said.mac : !is_solicited && !has_moved) return false;
  if (!learn(neighbour, said.mac.value_or(known.mac), learning::known_only, now, events)) return false;
  if (!is_solicited) become_stale(neighbour, known, now);
  return true;
}

void neighbour_cache::add_permanent(neighbour_key const& neighbour, wire::mac_address const& mac,
                                    neighbour_events& events) {
  if (!tables_.set_neighbour(neighbour, mac)) {
    throw failure(fmt::format("neighbour {}: no room for its next hop", to_text(neighbour.address)));
  }
  auto& known = neighbours_.try_emplace(neighbour, record{}).first->second;
  leave_line(neighbour, known);
  if (known.state == neighbour_state::reachable || known.state == neighbour_state::stale) {
    --budget_of(neighbour.interface).known;
  }
  known.state = neighbour_state::permanent;
  known.word = trust::proved;
  known.mac = mac;
  if (known.timer) timers_.erase(*known.timer);
  known.timer.reset();
  hand_out(neighbour, known, events.ready);
}

void neighbour_cache::forget(neighbour_key const& neighbour, neighbour_events& events) {
  auto const at = neighbours_.find(neighbour);
  if (at == neighbours_.end()) return;
  hand_out(neighbour, at->second, events.silent);
  erase(at);
}

void neighbour_cache::tick(control_time now, neighbour_events& events) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    expire(neighbours_.find(timers_.begin()->second), now, events);
  }
}

void neighbour_cache::expire(records::iterator at, control_time now, neighbour_events& events) {
  auto& [neighbour, known] = *at;
  auto& budget = budget_of(neighbour.interface);
  if (known.state == neighbour_state::reachable) {
    known.state = neighbour_state::stale;
    known.asked = 0;
  }
  if (known.asked >= settings_.asks) {
    hand_out(neighbour, known, events.silent);
    erase(at);
    return;
  }
  if (known.state == neighbour_state::incomplete && !budget.may_ask(known.asker, now)) {
    // The question counts as lost.
    ++known.asked;
    set_timer(neighbour, known, now + settings_.between_asks);
  } else if (known.word == trust::unproved && known.state == neighbour_state::stale && !budget.may_prove(now)) {
    set_timer(neighbour, known, now + settings_.between_asks);
  } else {
    ask(neighbour, known, now, events);
  }
}

void neighbour_cache::give_up(neighbour_events& events) {
  for (auto& [neighbour, known] : neighbours_) hand_out(neighbour, known, events.silent);
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

void neighbour_cache::visit(std::optional<neighbour_key> const& from, std::size_t most, visitor const& look) const {
  auto at = from ? neighbours_.lower_bound(*from) : neighbours_.begin();
  for (; most != 0 && at != neighbours_.end(); ++at, --most) {
    auto const& [who, of] = *at;
    bool const has_mac = of.state != neighbour_state::incomplete;
    look({.who = who,
          .state = of.state,
          .mac = has_mac ? std::optional{of.mac} : std::nullopt,
          .heard = of.heard,
          .waiting = of.waiting.size()});
  }
}

std::size_t neighbour_cache::known(interface_index interface) const {
  auto const at = budgets_.find(interface);
  return at == budgets_.end() ? 0 : at->second.known;
}

std::size_t neighbour_cache::room() const {
  return std::min(settings_.neighbours, settings_.all_neighbours / std::max<std::size_t>(tables_.interfaces(), 1));
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

void neighbour_cache::hand_out(neighbour_key const& neighbour, record& of, std::vector<held_packet>& to) {
  to.insert(to.end(), of.waiting.begin(), of.waiting.end());
  held_ -= of.waiting.size();
  budget_of(neighbour.interface).held -= of.waiting.size();
  of.waiting.clear();
}

neighbour_budget& neighbour_cache::budget_of(interface_index interface) {
  return budgets_.try_emplace(interface, settings_).first->second;
}

bool neighbour_cache::has_room(interface_index interface) {
  auto const& budget = budget_of(interface);
  return budget.known < room() || !budget.unproved.empty();
}

bool neighbour_cache::make_room(interface_index interface) {
  auto& budget = budget_of(interface);
  if (budget.known < room()) return true;
  if (budget.unproved.empty()) return false;
  erase(neighbours_.find(budget.unproved.front()));
  return true;
}

void neighbour_cache::become_known(neighbour_key const& neighbour, record& of) {
  leave_line(neighbour, of);
  of.state = neighbour_state::reachable;
  ++budget_of(neighbour.interface).known;
  if (of.word == trust::unproved) stand_in_line(neighbour, of);
}

// In use, and asked itself soon: the data path does not tell whether packets go there, which RFC 4861 would wait for.
void neighbour_cache::become_stale(neighbour_key const& neighbour, record& of, control_time now) {
  of.state = neighbour_state::stale;
  of.asked = 0;
  set_timer(neighbour, of, now + settings_.unproved);
}

void neighbour_cache::stand_in_line(neighbour_key const& neighbour, record& of) {
  auto& budget = budget_of(neighbour.interface);
  auto& line = of.state == neighbour_state::incomplete ? budget.asked : budget.unproved;
  of.age = line.insert(line.end(), neighbour);
}

void neighbour_cache::leave_line(neighbour_key const& neighbour, record& of) {
  if (!of.age) return;
  auto& budget = budget_of(neighbour.interface);
  auto& line = of.state == neighbour_state::incomplete ? budget.asked : budget.unproved;
  line.erase(*of.age);
  of.age.reset();
}

void neighbour_cache::erase(records::iterator at) {
  auto& [neighbour, known] = *at;
  tables_.forget_neighbour(neighbour);
  leave_line(neighbour, known);
  bool const is_counted = known.state == neighbour_state::reachable || known.state == neighbour_state::stale;
  if (is_counted) --budget_of(neighbour.interface).known;
  if (known.timer) timers_.erase(*known.timer);
  neighbours_.erase(at);
}

}  // namespace packetwarp

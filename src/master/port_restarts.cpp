// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/port_restarts.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/log/log.h"

namespace packetwarp {

port_restarts::port_restarts(std::deque<port>& ports, workforce& workers, removal_signs& signs, hooks on)
    : workers_{workers}, signs_{signs}, on_{std::move(on)} {
  for (auto& p : ports) entries_.push_back({.of = &p, .position = entries_.size()});
}

void port_restarts::look(cycles now) {
  for (auto& e : entries_) {
    if (e.at == stage::starting && !starter_->is_busy()) end(e, now);
    // port_removals leaves a removed device for good: no message of port_restarts may follow its message.
    if (e.of->is_removed() && e.at != stage::starting) continue;
    if (e.at == stage::serving) serve(e, now);
    if (e.at == stage::leaving && e.told->is_done()) {
      on_.leave(e.of->facts().id);
      e.at = stage::waiting;
    }
    if (e.at == stage::waiting && now >= e.next_try && !is_calling() && on_.may_call()) start(e, now);
    if (e.at == stage::rejoining && e.told->is_done()) {
      on_.rejoin(e.of->facts().id);
      e.at = stage::serving;
    }
  }
}

void port_restarts::serve(entry& e, cycles now) {
  auto& p = *e.of;
  if (signs_.take_reset(e.position)) p.note_reset();
  if (now >= e.next_look) {
    e.next_look = now + to_cycles(between_looks);
    p.look();
  }
  if (p.service() != port_service::stale) return;
  auto const& facts = p.facts();
  if (auto const why = why_it_stays(p); !why.empty()) {
    log().warn(
        "port {} ({}): its physical function was reset; with {} the port cannot be started again alone, and may "
        "pass nothing until packetwarp is started again",
        facts.id.value(), facts.name, why);
    p.keep();
  } else if (p.has_carrier()) {
    log().warn("port {} ({}): its physical function was reset or down; starting the port again", facts.id.value(),
               facts.name);
    begin(e, now);
  }
}

std::string_view port_restarts::why_it_stays(port const& p) const {
  return on_.has_rules(p.facts().id) ? "address flows" : p.why_no_restart();
}

void port_restarts::begin(entry& e, cycles now) {
  e.since = now;
  e.next_try = now;
  e.has_failed = false;
  e.told.emplace(workers_, std::make_shared<leave_port>(std::vector{e.of->facts().id}));
  e.at = stage::leaving;
}

void port_restarts::start(entry& e, cycles now) {
  if (e.of->service() != port_service::stopped) e.of->begin_restart();
  // This start answers the resets so far; a later start answers later ones.
  (void)signs_.take_reset(e.position);
  e.began = now;
  starter_.emplace("pw-restart", e.of->facts().name, [of = e.of] { return of->start_again(); });
  e.at = stage::starting;
}

std::optional<std::string> port_restarts::refusal_of(entry const& e, cycles now) const {
  bool const is_answered = now - e.began < to_cycles(answer_time) || !e.of->facts().traits().forgets_with_its_link;
  if (!starter_->refusal() && !is_answered) return "its physical function does not answer";
  return starter_->refusal();
}

void port_restarts::end(entry& e, cycles now) {
  auto const refusal = refusal_of(e, now);
  starter_.reset();
  auto const& facts = e.of->facts();
  e.at = stage::waiting;
  if (e.of->is_removed()) return;
  if (refusal) {
    if (!std::exchange(e.has_failed, true)) {
      log().error("port {} ({}): it is not started again, and will be tried every second: {}", facts.id.value(),
                  facts.name, *refusal);
    }
    e.next_try = now + to_cycles(between_tries);
    return;
  }
  e.of->end_restart();
  log().info("port {} ({}): started again after {:.0f} ms", facts.id.value(), facts.name,
             to_nanoseconds(now - e.since) / 1e6);
  e.told.emplace(workers_, std::make_shared<rejoin_port>(facts.id));
  e.at = stage::rejoining;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker_messages.h"

#include <utility>

#include "worker/workforce.h"

namespace packetwarp {

question::question(workforce& workers, lcore_id to, std::shared_ptr<worker_message> what, cycles timeout)
    : box_{workers.on(to).mail()}, number_{workers.post(to, std::move(what))}, deadline_{now_cycles() + timeout} {}

reply question::look(cycles now) {
  if (stands_ != reply::awaited) return stands_;
  if (number_ && box_.is_done(*number_)) return stands_ = reply::given;
  if (number_ && now < deadline_) return stands_;
  box_.count_timeout();
  return stands_ = reply::timed_out;
}

bool tell(workforce& workers, lcore_id to, std::shared_ptr<worker_message> what) {
  return workers.post(to, std::move(what)).has_value();
}

broadcast::broadcast(workforce& workers, std::shared_ptr<worker_message> what)
    : workers_{workers}, what_{std::move(what)} {
  for (auto const& [lcore, one] : workers.workers()) {
    if (one->has_jobs()) addressees_.push_back({.lcore = lcore, .message = {}});
  }
}

bool broadcast::is_done() {
  bool all = true;
  for (auto& one : addressees_) {
    if (!one.message) one.message = workers_.post(one.lcore, what_);
    all &= one.message && workers_.on(one.lcore).mail().is_done(*one.message);
  }
  return all;
}

tell_state::tell_state(worker const& of) {
  for (auto const& account : of.accounts()) state_.jobs.push_back({.name = account->what->name()});
}

void tell_state::carry_out(worker& on) {
  state_.loops = on.loops();
  state_.busy = on.busy_cycles();
  state_.all = on.all_cycles();
  state_.big = on.big().read();
  for (std::size_t n = 0; n < state_.jobs.size(); ++n) {
    auto const& account = *on.accounts()[n];
    state_.jobs[n].spent = account.cycles.read();
    state_.jobs[n].packets = account.packets.read();
    state_.jobs[n].big_loops = account.big_loops.read();
  }
}

worker_survey::worker_survey(workforce& workers, about what, cycles timeout) {
  for (auto const& [lcore, one] : workers.workers()) {
    if (!one->has_jobs()) continue;
    if (what == about::state) {
      auto state = std::make_shared<tell_state>(*one);
      entries_.push_back({.lcore = lcore, .state = state, .asked = {workers, lcore, state, timeout}});
    } else {
      entries_.push_back(
          {.lcore = lcore, .state = {}, .asked = {workers, lcore, std::make_shared<reset_big_loops>(), timeout}});
    }
  }
}

bool worker_survey::is_over(cycles now) {
  bool over = true;
  for (auto& one : entries_) {
    one.stands = one.asked.look(now);
    over &= one.stands != reply::awaited;
  }
  return over;
}

}  // namespace packetwarp

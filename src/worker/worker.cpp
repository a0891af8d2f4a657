// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include "base/sleep.h"

namespace packetwarp {

std::uint32_t worker::run_once() {
  auto const phase = signals_.phase.load(std::memory_order_acquire);
  auto const moved = take_turn(phase);
  rest_after(moved, phase);
  return moved;
}

// A worker that drains does not sleep: the end of a run waits for no sleep.
void worker::rest_after(std::uint32_t moved, run_phase phase) {
  if (poll_sleep_.count() == 0) [[likely]]
    return;
  idle_loops_ = moved != 0 || phase != run_phase::running ? 0 : idle_loops_ + 1;
  if (idle_loops_ <= loops_before_sleep) return;
  sleep_for(poll_sleep_);
  resume(now_cycles());
}

void worker::leave(port_id gone) {
  auto const now = now_cycles();
  for (auto const& account : accounts_) account->what->leave(gone, now);
}

void worker::rejoin(port_id back) {
  for (auto const& account : accounts_) account->what->rejoin(back);
}

void worker::resume(cycles now) {
  if (turn_began_ == 0) return;
  idle_.add(now - turn_began_);
  turn_began_ = now;
}

std::uint32_t worker::take_turn(run_phase phase) {
  // The clock is read once per loop iteration, which begins at the end of the one before.
  cycles const now = turn_began_ == 0 ? now_cycles() : turn_began_;
  bool const timed = busy_loops_ < loops_all_timed || loops_.load(std::memory_order_relaxed) % sampled_loops == 0;
  tick const of_turn{.now = now, .phase = phase, .read = tick::clock::of_turn};
  bool const watched = now < watches_until_;
  auto const moved = timed     ? poll_each_timed({.now = now, .phase = phase})
                     : watched ? poll_each_watched(of_turn)
                               : poll_all(of_turn);
  turn_began_ = now_cycles();
  if (big_.is_big(turn_began_ - now)) [[unlikely]]
    end_big_loop(now, turn_began_ - now, timed || watched ? std::optional{slowest_job_} : std::nullopt);
  (moved != 0 ? busy_ : idle_).add(turn_began_ - now);
  if (moved != 0) ++busy_loops_;
  loops_.store(loops_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (signals_.posted.load(std::memory_order_acquire) != seen_posted_) [[unlikely]] {
    seen_posted_ = signals_.posted.load(std::memory_order_acquire);
    mail_.carry_out_all(*this);
  }
  return moved;
}

std::uint32_t worker::poll_all(tick const& t) {
  std::uint32_t moved = 0;
  for (auto const& account : accounts_) moved += account->what->poll(t);
  return moved;
}

std::uint32_t worker::poll_each_timed(tick t) {
  std::uint32_t moved = 0;
  cycles longest = 0;
  for (std::size_t n = 0; n < accounts_.size(); ++n) {
    auto& account = *accounts_[n];
    auto const packets = account.what->poll(t);
    cycles const after = now_cycles();
    auto const took = after - t.now;
    if (packets != 0) {
      account.calls.add(1);
      account.cycles.add(took);
      account.packets.add(packets);
      moved += packets;
    }
    if (took >= longest) {
      longest = took;
      slowest_job_ = n;
    }
    t.now = after;
  }
  return moved;
}

// The costs of jobs, and latencies, are not recorded in these iterations: their number grows with the load.
std::uint32_t worker::poll_each_watched(tick const& t) {
  std::uint32_t moved = 0;
  cycles longest = 0;
  cycles before = t.now;
  for (std::size_t n = 0; n < accounts_.size(); ++n) {
    moved += accounts_[n]->what->poll(t);
    cycles const after = now_cycles();
    if (after - before >= longest) {
      longest = after - before;
      slowest_job_ = n;
    }
    before = after;
  }
  return moved;
}

void worker::end_big_loop(cycles began, cycles took, std::optional<std::size_t> job) {
  if (accounts_.size() == 1) job = 0;
  big_.record(began, took, job);
  if (job) accounts_[*job]->big_loops.add(1);
  // Reading the clock for every job costs some percent: at most a tenth of the time has this cost.
  constexpr cycles rest = 9;
  auto const end = began + took;
  if (job && began < watches_until_) {
    watches_until_ = 0;
    watches_from_ = end + rest * (end - watching_since_);
  } else if (!job && end >= watches_from_) {
    watching_since_ = end;
    watches_until_ = end + to_cycles(std::chrono::seconds{1});
    watches_from_ = watches_until_ + rest * (watches_until_ - end);
  }
}

void worker::reset_big_loops() {
  big_.reset();
  for (auto const& account : accounts_) account->big_loops.set(0);
}

void worker::run() {
  for (auto phase = signals_.phase.load(std::memory_order_acquire); phase != run_phase::halted;
       phase = signals_.phase.load(std::memory_order_acquire)) {
    rest_after(take_turn(phase), phase);
  }
  returned_.store(true, std::memory_order_release);
}

}  // namespace packetwarp

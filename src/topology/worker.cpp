// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/worker.h"

namespace packetwarp {

std::uint32_t worker::run_once() { return take_turn(phase_.load(std::memory_order_acquire)); }

std::uint32_t worker::take_turn(run_phase phase) {
  // The clock is read once a turn: its start is the end of the one before.
  cycles const now = turn_began_ == 0 ? now_cycles() : turn_began_;
  bool const timed = busy_turns_ < turns_all_timed || loops_.load(std::memory_order_relaxed) % sampled_turns == 0;
  auto const moved = timed ? poll_each_timed({.now = now, .phase = phase})
                           : poll_all({.now = now, .phase = phase, .read = tick::clock::of_turn});
  turn_began_ = now_cycles();
  all_.add(turn_began_ - now);
  if (moved != 0) {
    busy_.add(turn_began_ - now);
    ++busy_turns_;
  }
  loops_.store(loops_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return moved;
}

std::uint32_t worker::poll_all(tick const& t) {
  std::uint32_t moved = 0;
  for (auto const& account : accounts_) moved += account->what->poll(t);
  return moved;
}

std::uint32_t worker::poll_each_timed(tick t) {
  std::uint32_t moved = 0;
  for (auto const& account : accounts_) {
    auto const n = account->what->poll(t);
    cycles const after = now_cycles();
    if (n != 0) {
      account->calls.add(1);
      account->cycles.add(after - t.now);
      account->packets.add(n);
      moved += n;
    }
    t.now = after;
  }
  return moved;
}

void worker::run() {
  for (auto phase = phase_.load(std::memory_order_acquire); phase != run_phase::halted;
       phase = phase_.load(std::memory_order_acquire)) {
    take_turn(phase);
  }
  returned_.store(true, std::memory_order_release);
}

}  // namespace packetwarp

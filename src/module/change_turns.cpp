// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/change_turns.h"

#include <chrono>

namespace packetwarp {

std::shared_ptr<void> change_turns::begin() {
  if (state_ != state::none) return nullptr;
  state_ = state::under_way;
  return {this, [this](void*) { settle(); }};
}

void change_turns::settle() {
  state_ = state::settling;
  for (auto const& one : modules_) one->mark();
  grace_.begin();
}

// Packets' requests add and remove entries too.
void change_turns::poll(cycles now) {
  if (state_ == state::settling && grace_.is_over()) {
    for (auto const& one : modules_) one->reclaim();
    state_ = state::none;
    reclaimed_ = now;
  } else if (state_ == state::none && now - reclaimed_ >= to_cycles(std::chrono::seconds{1})) {
    settle();
  }
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/mailbox.h"

#include <utility>

namespace packetwarp {

std::optional<std::uint64_t> mailbox::post(std::shared_ptr<worker_message> what) {
  auto const number = posted_.load(std::memory_order_relaxed);
  // Otherwise the worker has carried out the message that was in this place, and does not use it any more.
  if (number - done_.load(std::memory_order_acquire) == room) return std::nullopt;
  slots_[number % room] = std::move(what);
  posted_.store(number + 1, std::memory_order_release);
  return number;
}

void mailbox::carry_out_all(worker& on) {
  auto number = done_.load(std::memory_order_relaxed);
  auto const end = posted_.load(std::memory_order_acquire);
  while (number != end) {
    slots_[number % room]->carry_out(on);
    done_.store(++number, std::memory_order_release);
  }
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "telemetry/counter.h"

namespace packetwarp {

class worker;

// Work that the master gives a worker, done between two of its loop iterations.
class worker_message {
 public:
  worker_message() = default;
  worker_message(worker_message const&) = delete;
  worker_message& operator=(worker_message const&) = delete;
  virtual ~worker_message() = default;
  // Called on the worker's thread, while packets wait. It must not block, allocate, throw or log.
  virtual void carry_out(worker& on) = 0;
};

// Messages from the master to one worker, in order, bounded. Nothing is allocated or freed on the worker's side: a
// message lives until the master uses its place again, or the mailbox is destroyed.
class mailbox {
 public:
  static constexpr std::size_t room = 16;

  // For the master: returns the message's number, or nothing if the mailbox is full.
  [[nodiscard]] std::optional<std::uint64_t> post(std::shared_ptr<worker_message> what);
  // The message has been carried out, and all that it did is visible to the caller.
  [[nodiscard]] bool is_done(std::uint64_t number) const { return done_.load(std::memory_order_acquire) > number; }
  // The sender does not wait for the answer any longer.
  void count_timeout() { timeouts_.add(1); }

  // For the worker: carries out all messages.
  void carry_out_all(worker& on);

  // Any thread may call it.
  [[nodiscard]] std::uint64_t done() const { return done_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t timeouts() const { return timeouts_.read(); }

 private:
  std::array<std::shared_ptr<worker_message>, room> slots_;
  std::atomic<std::uint64_t> posted_{0};
  telemetry::counter timeouts_;
  alignas(64) std::atomic<std::uint64_t> done_{0};
};

}  // namespace packetwarp

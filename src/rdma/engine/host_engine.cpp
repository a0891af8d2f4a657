// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/engine/host_engine.h"

#include <cstring>

namespace packetwarp::rdma {
namespace {

// The WQEs that a queue gets before the next queue does, and the idle rounds before the CPU is left to other threads.
constexpr std::uint32_t entries_per_round = 256;
constexpr std::uint32_t idle_rounds = 256;
// Bytes after which a queue gets no further WQE in its turn: a few milliseconds, so that abandon() does not wait long.
constexpr std::uint64_t bytes_per_round = 16 << 20;

void store_word(checked_write const& write) {
  std::uint64_t value = 0;
  std::memcpy(&value, write.from, sizeof value);
  detail::store_after(*reinterpret_cast<std::uint64_t*>(write.to), value, release_to_system);
}

}  // namespace

void served_queue::look_at_doorbell() {
  if (queue_.look() != queue_consumer::news::overrun || in_error_) return;
  ++queue_.counters().queue_overruns;
  fail(queue_.skip(), work_status::local_operation_error);
}

std::uint32_t served_queue::serve(reachable_memory const& memory, std::uint32_t most) {
  auto const began = queue_.position();
  if (!queue_.has_entry()) look_at_doorbell();
  auto const enough = queue_.counters().bytes + bytes_per_round;
  while (queue_.has_entry() && queue_.position() - began < most && queue_.counters().bytes < enough) execute(memory);
  return static_cast<std::uint32_t>(queue_.position() - began);
}

void served_queue::execute(reachable_memory const& memory) {
  auto const position = queue_.position();
  auto const entry = queue_.take();
  if (in_error_) {
    complete(position, work_status::flushed);
    return;
  }
  auto const number = queue_.queue_number();
  auto const write = memory.peer == nullptr ? check_write(entry, position, number, memory.registered)
                                            : check_write(entry, position, number, memory.registered, *memory.peer);
  if (write.status != work_status::done) {
    fail(position, write.status);
    return;
  }
  memory.peer == nullptr ? move_bytes(write) : move_to_peer(write);
  if (write.wants_completion) complete(position, work_status::done);
}

void served_queue::move_bytes(checked_write const& write) {
  if (is_one_word(write)) {
    store_word(write);
  } else if (write.bytes != 0) {
    std::memmove(write.to, write.from, write.bytes);
  }
  count(write);
}

void served_queue::move_to_peer(checked_write const& write) {
  if (is_one_word(write)) {
    store_word(write);
  } else if (write.bytes != 0) {
    auto const last = write.bytes - 1;
    std::memcpy(write.to, write.from, last);
    detail::store_after(reinterpret_cast<std::uint8_t&>(write.to[last]),
                        std::to_integer<std::uint8_t>(write.from[last]), release_to_system);
  }
  count(write);
}

void served_queue::count(checked_write const& write) {
  ++queue_.counters().writes;
  queue_.counters().bytes += write.bytes;
}

void served_queue::fail(std::uint64_t position, work_status status) {
  in_error_ = true;
  complete(position, status);
}

void served_queue::complete(std::uint64_t position, work_status status) {
  if (!queue_.complete(position, status)) in_error_ = true;
}

host_engine::host_engine(std::span<queue_parts const> queues, reachable_memory const& memory)
    : queues_{queues.begin(), queues.end()}, memory_{memory}, thread_{[this](std::stop_token const& asked) {
        run(asked);
      }} {}

host_engine::~host_engine() { stop(); }

void host_engine::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void host_engine::abandon() {
  is_abandoned_.store(true, std::memory_order_relaxed);
  stop();
}

engine_counters host_engine::counters() const {
  engine_counters sum;
  for (auto const& queue : queues_) sum.add(queue.counters());
  return sum;
}

void host_engine::run(std::stop_token const& asked) {
  for (std::uint32_t idle = 0;;) {
    bool const last = asked.stop_requested();
    std::uint32_t done = 0;
    for (auto& queue : queues_) {
      if (is_abandoned_.load(std::memory_order_relaxed)) return;
      done += queue.serve(memory_, entries_per_round);
    }
    if (done == 0 && last) return;
    idle = done == 0 ? idle + 1 : 0;
    if (idle >= idle_rounds) {
      idle = 0;
      detail::rest();
    }
  }
}

}  // namespace packetwarp::rdma

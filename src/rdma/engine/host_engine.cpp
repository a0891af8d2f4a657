// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/engine/host_engine.h"

#include <cstring>

namespace packetwarp::rdma {
namespace {

// The WQEs that a queue gets before the next queue does, and the idle rounds before the CPU is left to other threads.
constexpr std::uint32_t entries_per_round = 256;
constexpr std::uint32_t idle_rounds = 256;

}  // namespace

void served_queue::look_at_doorbell() {
  auto const rung = detail::load_before(*parts_.doorbell, acquire_from_system);
  if (rung == doorbell_) return;
  doorbell_ = rung;
  ++counters_.doorbells;
  // The record counts entries in 16 bits. It may be a later group's, whose WQEs it then brings.
  auto const record = static_cast<std::uint16_t>(big(detail::load_before(*parts_.send_record, acquire_from_system)));
  auto const ahead = static_cast<std::uint16_t>(record - static_cast<std::uint16_t>(next_));
  if (ahead > parts_.size) {
    if (in_error_) return;
    ++counters_.queue_overruns;
    end_ = next_ + 1;
    fail(work_status::local_operation_error);
    return;
  }
  end_ = next_ + ahead;
}

std::uint32_t served_queue::serve(region_table_ref regions, std::uint32_t most) {
  auto const began = next_;
  if (next_ == end_) look_at_doorbell();
  while (next_ != end_ && next_ - began < most) execute(regions);
  return static_cast<std::uint32_t>(next_ - began);
}

void served_queue::execute(region_table_ref regions) {
  if (in_error_) {
    complete(work_status::flushed);
    return;
  }
  // A copy: the poster could change an entry after the check.
  auto const entry = parts_.entries[next_ & (parts_.size - 1)];
  auto const write = check_write(entry, next_, parts_.number, regions);
  if (write.status != work_status::done) {
    fail(write.status);
    return;
  }
  move_bytes(write);
  if (write.wants_completion) {
    complete(work_status::done);
  } else {
    ++next_;
  }
}

void served_queue::move_bytes(checked_write const& write) {
  if (is_one_word(write)) {
    std::uint64_t value = 0;
    std::memcpy(&value, write.from, sizeof value);
    detail::store_after(*reinterpret_cast<std::uint64_t*>(write.to), value, release_to_system);
  } else if (write.bytes != 0) {
    std::memmove(write.to, write.from, write.bytes);
  }
  ++counters_.writes;
  counters_.bytes += write.bytes;
}

void served_queue::fail(work_status status) {
  in_error_ = true;
  complete(status);
}

// Writes the CQE of the next position.
void served_queue::complete(work_status status) {
  counters_.count_error(status);
  auto const position = next_++;
  auto const read = big(detail::load_before(*parts_.completion_record, acquire_from_system));
  auto const unread = (static_cast<std::uint32_t>(produced_) - read) & consumer_mask;
  if (unread >= parts_.size) {
    ++counters_.completion_overruns;
    in_error_ = true;
    return;
  }
  auto& entry = parts_.completions[produced_ & (parts_.size - 1)];
  auto const lap = (produced_ & parts_.size) == 0 ? 0U : 1U;
  ++produced_;
  ++counters_.completions;
  detail::store(entry.words[syndrome_at], syndrome_word(status));
  completion_tail const tail{position, parts_.number, status == work_status::done ? completion_ok : completion_error,
                             lap};
  detail::store_after(entry.tail, tail.raw(), release_to_system);
}

host_engine::host_engine(std::span<queue_parts const> queues, region_table_ref regions)
    : queues_{queues.begin(), queues.end()}, regions_{regions}, thread_{[this](std::stop_token const& asked) {
        run(asked);
      }} {}

host_engine::~host_engine() { stop(); }

void host_engine::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
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
    for (auto& queue : queues_) done += queue.serve(regions_, entries_per_round);
    if (done == 0 && last) return;
    idle = done == 0 ? idle + 1 : 0;
    if (idle >= idle_rounds) {
      idle = 0;
      detail::rest();
    }
  }
}

}  // namespace packetwarp::rdma

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/engine/queue_consumer.h"

namespace packetwarp::rdma {

queue_consumer::news queue_consumer::look() {
  auto const rung = detail::load_before(*parts_.doorbell, acquire_from_system);
  if (rung == doorbell_) return news::none;
  doorbell_ = rung;
  ++counters_.doorbells;
  // The record counts entries in 16 bits. It may be a later group's, whose WQEs it then brings.
  auto const record = static_cast<std::uint16_t>(big(detail::load_before(*parts_.send_record, acquire_from_system)));
  auto const ahead = static_cast<std::uint16_t>(record - static_cast<std::uint16_t>(next_));
  if (ahead > parts_.size) return news::overrun;
  end_ = next_ + ahead;
  return news::doorbell;
}

std::uint64_t queue_consumer::skip() {
  end_ = next_ + 1;
  return next_++;
}

bool queue_consumer::complete(std::uint64_t position, work_status status) {
  counters_.count_error(status);
  auto const read = big(detail::load_before(*parts_.completion_record, acquire_from_system));
  auto const unread = (static_cast<std::uint32_t>(produced_) - read) & consumer_mask;
  if (unread >= parts_.size) {
    ++counters_.completion_overruns;
    return false;
  }
  auto& entry = parts_.completions[produced_ & (parts_.size - 1)];
  auto const lap = (produced_ & parts_.size) == 0 ? 0U : 1U;
  ++produced_;
  ++counters_.completions;
  detail::store(entry.words[syndrome_at], syndrome_word(status));
  completion_tail const tail{position, parts_.number, status == work_status::done ? completion_ok : completion_error,
                             lap};
  detail::store_after(entry.tail, tail.raw(), release_to_system);
  return true;
}

}  // namespace packetwarp::rdma

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/requester.h"

#include <algorithm>
#include <bit>

namespace packetwarp::rdma::roce {

requester::requester(reliability const& settings, std::uint32_t first_psn, std::uint32_t most_writes)
    : window_{settings, first_psn},
      mtu_shift_{static_cast<unsigned>(std::countr_zero(settings.mtu))},
      most_writes_{std::min(most_writes, 2 * settings.window)},
      writes_(std::bit_ceil(most_writes_)) {}

void requester::post() {
  auto& placed = at(posted_);
  placed.begin = window_.all();
  // A write that has failed before has none.
  bool const has_failed = placed.write.status != work_status::done;
  placed.packets = has_failed ? 0 : packets_of(placed.write.bytes, mtu_shift_);
  if (has_failed) blocked_at_ = std::min(blocked_at_, placed.begin);
  window_.add(placed.packets);
  ++posted_;
  end_writes();
}

bool requester::next(std::uint64_t now, frame_plan& into) {
  if (sending_ == posted_ || window_.sendable(now, end_of_sendable()) == 0) return false;
  auto& placed = at(sending_);
  auto const packet = window_.next();
  auto const index = packet - placed.begin;
  auto const offset = index << mtu_shift_;
  bool const is_last = index + 1 == placed.packets;
  into.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(window_.settings().mtu, placed.write.bytes - offset));
  into.payload = (placed.write.from == nullptr ? placed.write.within.data() : placed.write.from) + offset;
  into.fields = {.code = code_of(index, placed.packets),
                 .psn = window_.psn_of(packet),
                 .address = placed.write.address,
                 .rkey = placed.write.rkey,
                 .length = placed.write.bytes};
  into.fields.asks_acknowledgement =
      window_.send(now, end_of_sendable(), is_last && placed.write.wants_completion) ? 1 : 0;
  if (is_last) ++sending_;
  return true;
}

// After an answer or a time-out.
void requester::follow() {
  end_writes();
  if (window_.took_back()) sending_ = ended_;
}

void requester::end_writes() {
  while (ended_ < posted_) {
    auto const& placed = at(ended_);
    if (placed.begin + placed.packets > window_.first_unacked()) return;
    if (placed.write.status != work_status::done) return window_.fail(placed.write.status);
    ++ended_;
  }
}

void requester::take(packet_fields const& answer, std::uint64_t now) {
  window_.take(answer, now);
  follow();
}

void requester::tick(std::uint64_t now) {
  window_.tick(now);
  follow();
}

std::optional<finished_write> requester::next_finished() {
  if (oldest_ < ended_) {
    auto const& write = at(oldest_++).write;
    return finished_write{write.position, work_status::done, write.wants_completion};
  }
  if (!is_in_error() || oldest_ == posted_) return {};
  auto const& write = at(oldest_++).write;
  ended_ = oldest_;
  auto const status = has_told_error_ ? work_status::flushed : window_.error();
  has_told_error_ = true;
  return finished_write{write.position, status, true};
}

}  // namespace packetwarp::rdma::roce

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/requester.h"

#include <algorithm>
#include <bit>

namespace packetwarp::rdma::roce {
namespace {

// The kinds of AETH, in the upper three bits of the syndrome; the lower five have credits, a timer or a NAK's code.
constexpr unsigned kind_acknowledge = 0, kind_rnr = 1, kind_nak = 3;

[[nodiscard]] opcode code_of(std::uint64_t index, std::uint64_t packets) {
  if (packets == 1) return opcode::write_only;
  if (index == 0) return opcode::write_first;
  return index + 1 == packets ? opcode::write_last : opcode::write_middle;
}

[[nodiscard]] work_status status_of_nak(std::uint8_t syndrome) {
  switch (syndrome) {
    case nak_invalid_request:
      return work_status::remote_invalid_request;
    case nak_remote_access:
      return work_status::remote_access_error;
    case nak_remote_operation:
      return work_status::remote_operation_error;
    default:
      return work_status::done;  // reserved: of no meaning
  }
}

}  // namespace

requester::requester(reliability const& settings, std::uint32_t first_psn, std::uint32_t most_writes)
    : settings_{settings},
      mtu_shift_{static_cast<unsigned>(std::countr_zero(settings.mtu))},
      first_psn_{first_psn & psn_mask},
      most_writes_{std::min(most_writes, 2 * settings.window)},
      writes_(std::bit_ceil(most_writes_)),
      retries_left_{settings.retries},
      rnr_retries_left_{settings.rnr_retries} {}

void requester::post() {
  auto& placed = at(posted_);
  placed.begin = all_;
  // A write of no bytes is a packet, too; a write that has failed before has none.
  placed.packets =
      placed.write.status != work_status::done
          ? 0
          : std::max<std::uint64_t>(1, (std::uint64_t{placed.write.bytes} + settings_.mtu - 1) >> mtu_shift_);
  all_ += placed.packets;
  ++posted_;
  end_writes();
}

// Asks with the last packet that may be sent now, with the last packet of a write whose end is awaited, and often
// enough that the window does not run dry.
bool requester::asks(placed_write const& placed, std::uint64_t packet) const {
  return packet + 1 == all_ || (placed.write.wants_completion && packet + 1 == placed.begin + placed.packets) ||
         packet + 1 - first_unacked_ == settings_.window || packet + 1 - last_asked_ >= settings_.ask_every;
}

bool requester::next(std::uint64_t now, frame_plan& into) {
  if (is_in_error() || now < quiet_until_ || sending_ == posted_ || unacknowledged() >= settings_.window) return false;
  auto& placed = at(sending_);
  if (placed.write.status != work_status::done) return false;  // it ends the connection once those before it have ended
  auto const index = next_ - placed.begin;
  auto const offset = index << mtu_shift_;
  bool const is_within = placed.write.from == nullptr;
  into.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(settings_.mtu, placed.write.bytes - offset));
  into.payload = (is_within ? placed.write.within.data() : placed.write.from) + offset;
  into.place = is_within || into.bytes == 0 ? payload_place::requester : payload_place::region;
  into.fields = {.code = code_of(index, placed.packets),
                 .psn = psn_of(next_),
                 .address = placed.write.address,
                 .rkey = placed.write.rkey,
                 .length = placed.write.bytes};
  if (asks(placed, next_)) {
    into.fields.asks_acknowledgement = 1;
    last_asked_ = next_ + 1;
  }
  if (next_ == first_unacked_) deadline_ = now + settings_.timeout_ns;
  ++counters_.packets;
  if (next_ < highest_) ++counters_.sent_again;
  ++next_;
  highest_ = std::max(highest_, next_);
  if (index + 1 == placed.packets) ++sending_;
  return true;
}

void requester::acknowledge_before(std::uint64_t packet, std::uint64_t now) {
  if (packet <= first_unacked_) return;
  first_unacked_ = packet;
  retries_left_ = settings_.retries;
  rnr_retries_left_ = settings_.rnr_retries;
  deadline_ = now + settings_.timeout_ns;
  end_writes();
  // An answer to packets that were sent before the connection went back.
  if (next_ < first_unacked_) go_back();
}

void requester::end_writes() {
  while (!is_in_error() && ended_ < posted_) {
    auto const& placed = at(ended_);
    if (placed.begin + placed.packets > first_unacked_) return;
    if (placed.write.status != work_status::done) {
      error_ = placed.write.status;
      return;
    }
    ++ended_;
  }
}

// The next packet is the first that is not acknowledged.
void requester::go_back() {
  next_ = first_unacked_;
  sending_ = ended_;
  last_asked_ = std::min(last_asked_, next_);
}

void requester::spend_retry(work_status otherwise) {
  if (retries_left_ == 0) {
    error_ = otherwise;
    return;
  }
  --retries_left_;
  go_back();
}

void requester::take(packet_fields const& answer, std::uint64_t now) {
  if (is_in_error()) return;
  auto const distance = psn_distance(answer.psn, psn_of(first_unacked_));
  auto const kind = answer.syndrome >> 5;
  if (distance < 0 || static_cast<std::uint64_t>(distance) >= highest_ - first_unacked_ ||
      (kind != kind_acknowledge && kind != kind_rnr && kind != kind_nak)) {
    ++counters_.stale_answers;
    return;
  }
  if (kind == kind_acknowledge) {
    ++counters_.acknowledgements;
    acknowledge_before(first_unacked_ + static_cast<std::uint64_t>(distance) + 1, now);
    return;
  }
  // All packets before that one have been executed.
  acknowledge_before(first_unacked_ + static_cast<std::uint64_t>(distance), now);
  if (is_in_error()) return;
  if (kind == kind_rnr) {
    wait_until_ready(answer.syndrome & 31U, now);
  } else {
    take_negative(answer, now);
  }
}

void requester::take_negative(packet_fields const& answer, std::uint64_t now) {
  if (answer.syndrome == nak_sequence) {
    ++counters_.sequence_naks;
    deadline_ = now + settings_.timeout_ns;
    spend_retry(work_status::transport_retries_exceeded);
    return;
  }
  auto const status = status_of_nak(answer.syndrome);
  if (status == work_status::done) {
    ++counters_.stale_answers;
    return;
  }
  ++counters_.fatal_naks;
  error_ = status;
}

void requester::wait_until_ready(std::uint8_t timer, std::uint64_t now) {
  ++counters_.rnr_naks;
  if (settings_.rnr_retries != endless_rnr_retries) {
    if (rnr_retries_left_ == 0) {
      error_ = work_status::rnr_retries_exceeded;
      return;
    }
    --rnr_retries_left_;
  }
  go_back();
  quiet_until_ = now + rnr_wait_ns(timer);
}

void requester::tick(std::uint64_t now) {
  if (is_in_error() || next_ == first_unacked_ || now < deadline_) return;
  ++counters_.timeouts;
  deadline_ = now + settings_.timeout_ns;
  spend_retry(work_status::transport_retries_exceeded);
}

std::optional<finished_write> requester::next_finished() {
  if (oldest_ < ended_) {
    auto const& write = at(oldest_++).write;
    return finished_write{write.position, work_status::done, write.wants_completion};
  }
  if (!is_in_error() || oldest_ == posted_) return {};
  auto const& write = at(oldest_++).write;
  ended_ = oldest_;
  auto const status = has_told_error_ ? work_status::flushed : error_;
  has_told_error_ = true;
  return finished_write{write.position, status, true};
}

}  // namespace packetwarp::rdma::roce

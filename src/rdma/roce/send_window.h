// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "rdma/mlx5_format.h"
#include "rdma/roce/packet.h"
#include "rdma/roce/reliability.h"

namespace packetwarp::rdma::roce {

struct requester_counters {
  std::uint64_t packets{};  // sent, those sent again included
  std::uint64_t sent_again{};
  std::uint64_t acknowledgements{};  // that made progress
  std::uint64_t stale_answers{};     // old ones, or of packets that were not sent
  std::uint64_t sequence_naks{};
  std::uint64_t rnr_naks{};
  std::uint64_t fatal_naks{};
  std::uint64_t timeouts{};

  HOST_DEVICE void add(requester_counters const& other) {
    packets += other.packets;
    sent_again += other.sent_again;
    acknowledgements += other.acknowledgements;
    stale_answers += other.stale_answers;
    sequence_naks += other.sequence_naks;
    rnr_naks += other.rnr_naks;
    fatal_naks += other.fatal_naks;
    timeouts += other.timeouts;
  }
};

// The packets of a requester (InfiniBand Architecture 1.4, 9.7): which may be sent, and what answers and time-outs mean
// for them. It knows no writes: its user cuts them into packets. Packet numbers have 64 bits; a PSN is the low 24 of
// them, after the first one's. Trivially copyable: a GPU's thread can have it. For one thread; times are in ns.
class send_window {
 public:
  send_window() = default;
  HOST_DEVICE send_window(reliability const& settings, std::uint32_t first_psn)
      : settings_{settings},
        first_psn_{first_psn & psn_mask},
        retries_left_{settings.retries},
        rnr_retries_left_{settings.rnr_retries} {}

  [[nodiscard]] HOST_DEVICE reliability const& settings() const { return settings_; }
  [[nodiscard]] HOST_DEVICE std::uint64_t next() const { return next_; }
  [[nodiscard]] HOST_DEVICE std::uint64_t all() const { return all_; }
  [[nodiscard]] HOST_DEVICE std::uint64_t first_unacked() const { return first_unacked_; }
  [[nodiscard]] HOST_DEVICE std::uint32_t psn_of(std::uint64_t packet) const {
    return static_cast<std::uint32_t>(first_psn_ + packet) & psn_mask;
  }
  [[nodiscard]] HOST_DEVICE bool is_in_error() const { return error_ != work_status::done; }
  [[nodiscard]] HOST_DEVICE work_status error() const { return error_; }
  [[nodiscard]] HOST_DEVICE requester_counters const& counters() const { return counters_; }

  // Packets of a write that was posted.
  HOST_DEVICE void add(std::uint64_t packets) { all_ += packets; }
  // Whether less than a window of packets waits to be sent.
  [[nodiscard]] HOST_DEVICE bool wants_packets() const { return is_in_error() || all_ - next_ < settings_.window; }

  // How many packets, from next() on and before `end`, may be sent now.
  [[nodiscard]] HOST_DEVICE std::uint64_t sendable(std::uint64_t now, std::uint64_t end) const {
    if (is_in_error() || now < quiet_until_) return 0;
    auto const within = first_unacked_ + settings_.window;
    auto const until = end < within ? end : within;
    return until > next_ ? until - next_ : 0;
  }
  // Sends next(), and returns whether it asks for an acknowledgement: with the last packet that may be sent now, with
  // the last packet of a write whose end is awaited, and often enough that the window does not run dry. end: as
  // sendable()'s.
  HOST_DEVICE bool send(std::uint64_t now, std::uint64_t end, bool ends_awaited_write) {
    bool const asks = ends_awaited_write || next_ + 1 == end || next_ + 1 - first_unacked_ == settings_.window ||
                      next_ + 1 - last_asked_ >= settings_.ask_every;
    if (asks) last_asked_ = next_ + 1;
    if (next_ == first_unacked_) deadline_ = now + settings_.timeout_ns;
    ++counters_.packets;
    if (next_ < highest_) ++counters_.sent_again;
    ++next_;
    if (highest_ < next_) highest_ = next_;
    return asks;
  }

  // The same for `count` packets, up to 32: bit n of `awaited` and of the result is that of packet next() + n.
  HOST_DEVICE std::uint32_t send(std::uint64_t now, std::uint64_t end, std::uint32_t count, std::uint32_t awaited) {
    auto const next = next_;
    auto last = last_asked_;
    if (next + count == end) awaited |= 1U << (count - 1);
    auto const full = first_unacked_ + settings_.window - next;  // packets until the window is full
    if (full <= count) awaited |= 1U << (full - 1);
    std::uint32_t asking = 0;
    for (std::uint32_t n = 0; n < count; ++n) {
      if ((awaited >> n & 1U) == 0 && next + n + 1 - last < settings_.ask_every) continue;
      last = next + n + 1;
      asking |= 1U << n;
    }
    last_asked_ = last;
    if (next == first_unacked_) deadline_ = now + settings_.timeout_ns;
    counters_.packets += count;
    if (next < highest_) counters_.sent_again += highest_ - next < count ? highest_ - next : count;
    next_ = next + count;
    if (highest_ < next_) highest_ = next_;
    return asking;
  }

  // An acknowledgement, positive or negative. Afterwards its user ends the writes before first_unacked(), and calls
  // took_back().
  HOST_DEVICE void take(packet_fields const& answer, std::uint64_t now) {
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
    if (kind == kind_rnr) {
      wait_until_ready(answer.syndrome & 31U, now);
    } else {
      take_negative(answer.syndrome, now);
    }
  }
  // Looks for a time-out. Afterwards its user calls took_back().
  HOST_DEVICE void tick(std::uint64_t now) {
    if (is_in_error() || next_ == first_unacked_ || now < deadline_) return;
    ++counters_.timeouts;
    deadline_ = now + settings_.timeout_ns;
    spend_retry();
  }
  // Whether next() has gone back to first_unacked() since the last call.
  [[nodiscard]] HOST_DEVICE bool took_back() {
    bool const is_back = is_back_ != 0;
    is_back_ = 0;
    return is_back;
  }
  // Ends the connection. The first error stays.
  HOST_DEVICE void fail(work_status error) {
    if (!is_in_error()) error_ = error;
  }

 private:
  // The kinds of AETH, in the upper three bits of the syndrome; the lower five have credits, a timer or a NAK's code.
  static constexpr unsigned kind_acknowledge = 0, kind_rnr = 1, kind_nak = 3;

  [[nodiscard]] HOST_DEVICE static work_status status_of_nak(std::uint8_t syndrome) {
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

  HOST_DEVICE void acknowledge_before(std::uint64_t packet, std::uint64_t now) {
    if (packet <= first_unacked_) return;
    first_unacked_ = packet;
    retries_left_ = settings_.retries;
    rnr_retries_left_ = settings_.rnr_retries;
    deadline_ = now + settings_.timeout_ns;
    // An answer to packets that were sent before the connection went back.
    if (next_ < first_unacked_) go_back();
  }
  // The next packet is the first that is not acknowledged.
  HOST_DEVICE void go_back() {
    next_ = first_unacked_;
    if (next_ < last_asked_) last_asked_ = next_;
    is_back_ = 1;
  }
  HOST_DEVICE void spend_retry() {
    if (retries_left_ == 0) return fail(work_status::transport_retries_exceeded);
    --retries_left_;
    go_back();
  }
  HOST_DEVICE void take_negative(std::uint8_t syndrome, std::uint64_t now) {
    if (syndrome == nak_sequence) {
      // The window is back at that packet already, and has sent nothing since: a copy of an earlier NAK.
      if (next_ == first_unacked_) {
        ++counters_.stale_answers;
        return;
      }
      ++counters_.sequence_naks;
      deadline_ = now + settings_.timeout_ns;
      return spend_retry();
    }
    auto const status = status_of_nak(syndrome);
    if (status == work_status::done) {
      ++counters_.stale_answers;
      return;
    }
    ++counters_.fatal_naks;
    fail(status);
  }
  HOST_DEVICE void wait_until_ready(std::uint32_t timer, std::uint64_t now) {
    ++counters_.rnr_naks;
    if (settings_.rnr_retries != endless_rnr_retries) {
      if (rnr_retries_left_ == 0) return fail(work_status::rnr_retries_exceeded);
      --rnr_retries_left_;
    }
    go_back();
    quiet_until_ = now + rnr_wait_ns(static_cast<std::uint8_t>(timer));
  }

  reliability settings_{};
  std::uint32_t first_psn_{};
  std::uint32_t retries_left_{};
  std::uint32_t rnr_retries_left_{};
  work_status error_{work_status::done};
  std::uint8_t is_back_{};
  std::uint64_t first_unacked_{};  // packets
  std::uint64_t next_{};
  std::uint64_t highest_{};     // packets below it have been sent at least once
  std::uint64_t all_{};         // packets of all posted writes
  std::uint64_t last_asked_{};  // the packet that asked for an acknowledgement last, plus one
  std::uint64_t deadline_{};
  std::uint64_t quiet_until_{};  // after an RNR NAK
  requester_counters counters_{};
};
static_assert(std::is_trivially_copyable_v<send_window>);

}  // namespace packetwarp::rdma::roce

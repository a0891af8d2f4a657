// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "rdma/region_table.h"
#include "rdma/roce/packet.h"

namespace packetwarp::rdma::roce {

// The responder of a reliable connection (InfiniBand Architecture 1.4, 9.7): it decides what a request's packet writes,
// and which answer it gets. It does no input or output and knows no clock; the caller copies the bytes and sends the
// answer. Trivially copyable: a GPU's thread can have it.

struct responder_counters {
  std::uint64_t packets{};  // executed
  std::uint64_t messages{};
  std::uint64_t bytes{};
  std::uint64_t duplicates{};        // acknowledged again, not executed
  std::uint64_t out_of_sequence{};   // packets after a gap
  std::uint64_t invalid_requests{};  // an operation that is refused, or an opcode or a length that cannot come here
  std::uint64_t access_errors{};     // rkey, bounds or rights
  std::uint64_t after_the_error{};   // packets that came once the connection was in error

  HOST_DEVICE void add(responder_counters const& other) {
    packets += other.packets;
    messages += other.messages;
    bytes += other.bytes;
    duplicates += other.duplicates;
    out_of_sequence += other.out_of_sequence;
    invalid_requests += other.invalid_requests;
    access_errors += other.access_errors;
    after_the_error += other.after_the_error;
  }
};

enum class answer_kind : std::uint8_t { none, acknowledge, negative };

// An answer, and the bytes to be written before it is sent: `bytes` of the packet's payload to `to`.
struct responder_verdict {
  answer_kind answer{answer_kind::none};
  std::uint8_t syndrome{acknowledged};
  std::uint8_t gap{};  // of a sequence NAK: packets from the missing one to the one that came, up to most_gap
  std::uint32_t psn{};
  std::uint32_t message_number{};
  std::byte* to{};
  std::uint32_t bytes{};
};

inline constexpr std::uint32_t most_gap = 127;

// The one answer that says what two say, of which the second came later, if neither was sent. A later acknowledgement
// says more than an earlier one; a NAK acknowledges all packets before it; an acknowledgement of these says nothing
// new. If the packet that a sequence NAK misses has come, the wire has changed the order: the packet that is missing
// now is the next one, unless it has come, too.
[[nodiscard]] HOST_DEVICE constexpr responder_verdict later_answer(responder_verdict const& first,
                                                                   responder_verdict const& second) {
  if (second.answer == answer_kind::none) return first;
  if (first.answer != answer_kind::negative || second.answer != answer_kind::acknowledge) return second;
  auto const beyond = psn_distance(second.psn, first.psn);
  if (beyond < 0) return first;
  if (first.syndrome != nak_sequence || beyond >= first.gap) return second;
  auto missing = first;
  missing.psn = (second.psn + 1) & psn_mask;
  missing.message_number = second.message_number;
  missing.gap = static_cast<std::uint8_t>(first.gap - beyond - 1);
  return missing;
}

class responder {
 public:
  responder() = default;
  // first_psn: of the peer's first packet.
  HOST_DEVICE responder(std::uint32_t first_psn, std::uint32_t mtu) : expected_{first_psn & psn_mask}, mtu_{mtu} {}

  // A request's packet: not an acknowledgement. regions: of this process.
  [[nodiscard]] HOST_DEVICE responder_verdict take(packet_fields const& fields, std::uint32_t payload,
                                                   region_table_ref regions) {
    auto const distance = psn_distance(fields.psn, expected_);
    if (distance < 0) return take_duplicate(fields);
    if (is_in_error()) {
      ++counters_.after_the_error;
      // The NAK may have been lost.
      return distance == 0 ? refusal(error_) : responder_verdict{};
    }
    if (distance > 0) {
      ++counters_.out_of_sequence;
      if (has_told_of_gap_ != 0) return {};
      has_told_of_gap_ = 1;
      auto missing = refusal(nak_sequence);
      missing.gap = static_cast<std::uint8_t>(distance < std::int32_t{most_gap} ? distance : std::int32_t{most_gap});
      return missing;
    }
    has_told_of_gap_ = 0;
    if (auto const wrong = check(fields, payload, regions); wrong != 0) return fail(wrong);
    return execute(fields, payload);
  }

  // The answer that is to be sent. If it tells of a gap before the expected packet, no further one needs to.
  HOST_DEVICE void note(responder_verdict const& answer) {
    if (answer.syndrome == nak_sequence && answer.psn == expected_) has_told_of_gap_ = 1;
  }

  [[nodiscard]] HOST_DEVICE bool is_in_error() const { return error_ != 0; }
  [[nodiscard]] HOST_DEVICE responder_counters const& counters() const { return counters_; }

 private:
  [[nodiscard]] HOST_DEVICE responder_verdict refusal(std::uint8_t syndrome) const {
    return {.answer = answer_kind::negative, .syndrome = syndrome, .psn = expected_, .message_number = messages_};
  }
  [[nodiscard]] HOST_DEVICE responder_verdict acceptance(std::uint32_t psn) const {
    return {.answer = answer_kind::acknowledge, .psn = psn & psn_mask, .message_number = messages_};
  }
  [[nodiscard]] HOST_DEVICE responder_verdict fail(std::uint8_t syndrome) {
    error_ = syndrome;
    syndrome == nak_remote_access ? ++counters_.access_errors : ++counters_.invalid_requests;
    return refusal(syndrome);
  }

  // A packet that was executed before: its acknowledgement may have been lost.
  [[nodiscard]] HOST_DEVICE responder_verdict take_duplicate(packet_fields const& fields) {
    ++counters_.duplicates;
    if (fields.asks_acknowledgement == 0 && !ends_write(fields.code)) return {};
    return acceptance(expected_ - 1);
  }

  // The NAK's syndrome for the packet that is expected now; 0 if it is right.
  [[nodiscard]] HOST_DEVICE std::uint8_t check(packet_fields const& fields, std::uint32_t payload,
                                               region_table_ref regions) const {
    if (!is_write(fields.code)) return nak_invalid_request;
    bool const begins = has_reth(fields.code);
    if (begins != (is_within_ == 0)) return nak_invalid_request;
    bool const ends = ends_write(fields.code);
    std::uint64_t const left = begins ? fields.length : left_;
    // Packets but the last are full, the last has the rest (9.7.4.1.6).
    if (ends ? payload != left || payload > mtu_ || (payload == 0 && fields.code == opcode::write_last)
             : payload != mtu_ || payload >= left)
      return nak_invalid_request;
    if (begins &&
        (fields.length > most_message ||
         (fields.length != 0 && !regions.allows(fields.rkey, fields.address, fields.length, access::remote_write))))
      return fields.length > most_message ? nak_invalid_request : nak_remote_access;
    return 0;
  }

  [[nodiscard]] HOST_DEVICE responder_verdict execute(packet_fields const& fields, std::uint32_t payload) {
    if (has_reth(fields.code)) {
      address_ = fields.address;
      left_ = fields.length;
    }
    bool const ends = ends_write(fields.code);
    auto const at = address_;
    address_ += payload;
    left_ -= payload;
    is_within_ = ends ? 0 : 1;
    auto const psn = expected_;
    expected_ = (expected_ + 1) & psn_mask;
    ++counters_.packets;
    counters_.bytes += payload;
    if (ends) {
      messages_ = (messages_ + 1) & psn_mask;
      ++counters_.messages;
    }
    auto made = fields.asks_acknowledgement != 0 ? acceptance(psn) : responder_verdict{};
    made.to = reinterpret_cast<std::byte*>(at);
    made.bytes = payload;
    return made;
  }

  static constexpr std::uint32_t most_message = 0x8000'0000;

  std::uint64_t address_{};   // of the next payload
  std::uint64_t left_{};      // bytes of the message that has begun
  std::uint32_t expected_{};  // PSN
  std::uint32_t messages_{};  // MSN
  std::uint32_t mtu_{1024};
  std::uint8_t is_within_{};        // 1 between a message's first packet and its last
  std::uint8_t has_told_of_gap_{};  // 1 from the NAK until the expected packet comes
  std::uint8_t error_{};            // syndrome of the NAK that ended the connection
  responder_counters counters_{};
};
static_assert(std::is_trivially_copyable_v<responder>);

}  // namespace packetwarp::rdma::roce

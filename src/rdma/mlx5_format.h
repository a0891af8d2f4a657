// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/host_device.h"

namespace packetwarp::rdma {

// The bytes of a ConnectX's send queue and completion queue, with the names of its reference manual. Fields are in
// network order. tests/rdma compares them with the structures and functions of rdma-core's mlx5dv.h.

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t big(std::uint32_t value) {
  return value << 24 | (value & 0xff00U) << 8 | (value >> 8 & 0xff00U) | value >> 24;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// ---- Work queue entries (WQE)

// A WQE has up to four segments of 16 bytes: control, remote address, data.
struct alignas(16) segment {
  std::uint32_t words[4];
};
struct alignas(64) work_queue_entry {
  segment segments[4];
};
static_assert(std::is_trivially_copyable_v<work_queue_entry> && sizeof(work_queue_entry) == 64);

inline constexpr std::uint32_t segments_per_entry = 4;
inline constexpr std::uint8_t opcode_rdma_write = 0x08;
inline constexpr std::uint8_t flag_completion = 0x08;  // fm_ce_se: write a CQE for this WQE
inline constexpr std::uint32_t inline_flag = 0x8000'0000;
inline constexpr std::uint32_t inline_at = 36;  // bytes before an inline payload
inline constexpr std::uint32_t most_inline = sizeof(work_queue_entry) - inline_at;
inline constexpr std::uint32_t most_entries = 32768;  // of a send queue; indices have 16 bits
inline constexpr std::uint32_t most_queue_number = 0xff'ffff;
inline constexpr std::uint32_t longest_message = 0x8000'0000;

// segments: how many the WQE has in use (DS).
[[nodiscard]] HOST_DEVICE constexpr segment control_segment(std::uint64_t position, std::uint32_t queue_number,
                                                            std::uint32_t segments, std::uint8_t flags) {
  auto const index = static_cast<std::uint32_t>(position & 0xffff);
  return {{big(index << 8 | opcode_rdma_write), big(queue_number << 8 | segments), std::uint32_t{flags} << 24, 0}};
}
[[nodiscard]] HOST_DEVICE constexpr segment remote_segment(std::uint64_t address, std::uint32_t rkey) {
  return {{big(high(address)), big(low(address)), big(rkey), 0}};
}
[[nodiscard]] HOST_DEVICE constexpr segment data_segment(std::uint64_t address, std::uint32_t lkey,
                                                         std::uint32_t bytes) {
  return {{big(bytes), big(lkey), big(high(address)), big(low(address))}};
}

// A WQE's fields, as an engine reads them.
class entry_view {
 public:
  HOST_DEVICE explicit entry_view(work_queue_entry const& entry) : entry_{&entry} {}
  [[nodiscard]] HOST_DEVICE std::uint8_t opcode() const { return static_cast<std::uint8_t>(big(word(0, 0))); }
  [[nodiscard]] HOST_DEVICE std::uint16_t index() const { return static_cast<std::uint16_t>(big(word(0, 0)) >> 8); }
  [[nodiscard]] HOST_DEVICE std::uint8_t modifier() const { return static_cast<std::uint8_t>(big(word(0, 0)) >> 24); }
  [[nodiscard]] HOST_DEVICE std::uint32_t queue_number() const { return big(word(0, 1)) >> 8; }
  [[nodiscard]] HOST_DEVICE std::uint32_t segments() const { return big(word(0, 1)) & 0x3f; }
  [[nodiscard]] HOST_DEVICE bool wants_completion() const { return (word(0, 2) >> 24 & flag_completion) != 0; }
  [[nodiscard]] HOST_DEVICE std::uint64_t remote_address() const { return address(1, 0); }
  [[nodiscard]] HOST_DEVICE std::uint32_t rkey() const { return big(word(1, 2)); }
  [[nodiscard]] HOST_DEVICE bool is_inline() const { return (big(word(2, 0)) & inline_flag) != 0; }
  // The data segment's; a byte count of 0 means 2^31.
  [[nodiscard]] HOST_DEVICE std::uint32_t bytes() const { return big(word(2, 0)) & ~inline_flag; }
  [[nodiscard]] HOST_DEVICE std::uint32_t lkey() const { return big(word(2, 1)); }
  [[nodiscard]] HOST_DEVICE std::uint64_t local_address() const { return address(2, 2); }

 private:
  [[nodiscard]] HOST_DEVICE std::uint32_t word(unsigned of, unsigned at) const {
    return entry_->segments[of].words[at];
  }
  [[nodiscard]] HOST_DEVICE std::uint64_t address(unsigned of, unsigned at) const {
    return std::uint64_t{big(word(of, at))} << 32 | big(word(of, at + 1));
  }
  work_queue_entry const* entry_;
};

// ---- Doorbells

// The doorbell record of a send queue: the index after the last WQE.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t send_record(std::uint64_t end) {
  return big(static_cast<std::uint32_t>(end & 0xffff));
}
// The doorbell record of a completion queue: the number of CQEs that were read, in 24 bits.
inline constexpr std::uint32_t consumer_mask = 0xff'ffff;
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t completion_record(std::uint64_t consumed) {
  return big(static_cast<std::uint32_t>(consumed) & consumer_mask);
}
// A doorbell is the first 8 bytes of a control segment, in one store.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t doorbell_of(segment const& control) {
  return std::uint64_t{control.words[1]} << 32 | control.words[0];
}

// ---- Completion queue entries (CQE)

struct alignas(64) completion_entry {
  std::uint32_t words[14];  // the last one has an error's syndrome
  std::uint64_t tail;
};
static_assert(std::is_trivially_copyable_v<completion_entry> && sizeof(completion_entry) == 64);

// Results of a WQE: the syndromes of an error CQE, and one of packetwarp's own.
enum class work_status : std::uint8_t {
  done = 0x00,
  local_length_error = 0x01,
  local_operation_error = 0x02,
  local_protection_error = 0x04,
  flushed = 0x05,
  remote_invalid_request = 0x12,
  remote_access_error = 0x13,
  remote_operation_error = 0x14,
  transport_retries_exceeded = 0x15,
  rnr_retries_exceeded = 0x16,
  waited_too_long = 0xff  // no CQE came; never in a CQE
};

inline constexpr std::uint32_t completion_ok = 0x0;  // opcodes of CQEs
inline constexpr std::uint32_t completion_error = 0xd;
inline constexpr std::uint32_t completion_invalid = 0xf;  // before the first lap

// The last 8 bytes of a CQE, which are written last, in one store.
class completion_tail {
 public:
  // lap: 0 for even laps of the queue, 1 for odd ones.
  HOST_DEVICE completion_tail(std::uint64_t position, std::uint32_t queue_number, std::uint32_t opcode,
                              std::uint32_t lap) {
    auto const index = static_cast<std::uint32_t>(position & 0xffff);
    auto const last = (index >> 8 & 0xff) | (index & 0xff) << 8 | (opcode << 4 | lap) << 24;
    raw_ = std::uint64_t{last} << 32 | big(std::uint32_t{opcode_rdma_write} << 24 | queue_number);
  }
  HOST_DEVICE explicit completion_tail(std::uint64_t raw) : raw_{raw} {}
  [[nodiscard]] HOST_DEVICE std::uint64_t raw() const { return raw_; }
  // The index of the WQE.
  [[nodiscard]] HOST_DEVICE std::uint16_t index() const {
    return static_cast<std::uint16_t>((raw_ >> 32 & 0xff) << 8 | (raw_ >> 40 & 0xff));
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t opcode() const { return static_cast<std::uint32_t>(raw_ >> 60); }
  // Whether it is of the lap that reads CQE number `consumed` of a queue of this size.
  [[nodiscard]] HOST_DEVICE bool is_of(std::uint64_t consumed, std::uint32_t entries) const {
    return opcode() != completion_invalid && (raw_ >> 56 & 1) == ((consumed & entries) == 0 ? 0U : 1U);
  }

 private:
  std::uint64_t raw_;
};

inline constexpr std::uint32_t syndrome_at = 13;  // the word whose last byte is the syndrome
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t syndrome_word(work_status status) {
  return static_cast<std::uint32_t>(status) << 24;
}
[[nodiscard]] HOST_DEVICE constexpr work_status status_of(std::uint32_t syndrome_word) {
  return static_cast<work_status>(syndrome_word >> 24);
}

}  // namespace packetwarp::rdma

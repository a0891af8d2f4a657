// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/host_device.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/roce/packet.h"
#include "rdma/roce/responder.h"

namespace packetwarp::rdma::roce {

// Words of a CPU thread and a responder on a GPU about a queue, in pinned host memory: the CPU gives frames
// with requests, the GPU gives them back in the same order, and answers. Only one side writes a line.
struct inbox {
  static constexpr std::uint32_t most_frames = 256;

  // By the CPU.
  alignas(128) std::uint64_t frames[most_frames];  // frame_slot()
  std::uint64_t rests[most_frames];  // likewise, of frames in two pieces: the second one's, 0 bytes or more
  alignas(128) std::uint64_t stop;   // not 0: the kernel ends
  // By the GPU.
  alignas(128) std::uint64_t told;                  // frames taken in the low half, answers given in the high one
  alignas(128) std::uint64_t answers[most_frames];  // packed_verdict(); there is at most one for each frame
};
static_assert(std::is_trivially_copyable_v<inbox> && sizeof(inbox) % 128 == 0);

// Frame `number`, from 0 on, or its first piece: its address, which has 48 bits; its bytes, up to the ICRC's end, which
// have 13; and the lowest 3 bits of the ring's lap, from 1 on.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t lap_of_frame(std::uint64_t number) {
  return (number / inbox::most_frames + 1) & 7;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t frame_slot(std::uint64_t address, std::uint32_t bytes,
                                                             std::uint64_t number) {
  return lap_of_frame(number) << 61 | std::uint64_t{bytes} << 48 | address;
}
[[nodiscard]] HOST_DEVICE constexpr bool is_frame(std::uint64_t slot, std::uint64_t number) {
  return slot >> 61 == lap_of_frame(number);
}
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t address_of_frame(std::uint64_t slot) {
  return slot & 0xffff'ffff'ffff;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t bytes_of_frame(std::uint64_t slot) {
  return static_cast<std::uint32_t>(slot >> 48) & 0x1fff;
}

// An answer to be sent: 24 bits of PSN, 8 of syndrome, 24 of message number, whether it is negative, and 7 of gap.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t packed_verdict(responder_verdict const& verdict) {
  return std::uint64_t{verdict.gap} << 57 | std::uint64_t{verdict.answer == answer_kind::negative} << 56 |
         std::uint64_t{verdict.message_number} << 32 | std::uint64_t{verdict.syndrome} << 24 | (verdict.psn & psn_mask);
}
[[nodiscard]] HOST_DEVICE constexpr responder_verdict unpacked_verdict(std::uint64_t packed) {
  responder_verdict verdict;
  verdict.answer = (packed >> 56 & 1) != 0 ? answer_kind::negative : answer_kind::acknowledge;
  verdict.message_number = static_cast<std::uint32_t>(packed >> 32) & psn_mask;
  verdict.syndrome = static_cast<std::uint8_t>(packed >> 24);
  verdict.gap = static_cast<std::uint8_t>(packed >> 57);
  verdict.psn = static_cast<std::uint32_t>(packed) & psn_mask;
  return verdict;
}

// The CPU's side of an inbox, for one thread.
class inbox_end {
 public:
  explicit inbox_end(inbox& box) : box_{&box} {}

  [[nodiscard]] std::uint32_t room() const { return inbox::most_frames - static_cast<std::uint32_t>(given_ - taken_); }
  // Gives a frame, without bytes after its ICRC, only with room. It is the GPU's until collect() has counted it.
  void give(std::span<std::byte const> frame) {
    detail::store_after(box_->frames[given_ % inbox::most_frames], slot_of(frame), release_to_system);
    ++given_;
  }
  // The same of a frame in two pieces, of which the second one may be empty.
  void give(std::span<std::byte const> first, std::span<std::byte const> rest) {
    detail::store(box_->rests[given_ % inbox::most_frames], slot_of(rest));
    give(first);
  }
  // Calls answer(verdict) for each new answer, and returns how many frames the GPU has given back since the last call.
  template <class Answer>
  std::uint32_t collect(Answer const& answer) {
    auto const told = detail::load_before(box_->told, acquire_from_system);
    for (; static_cast<std::uint32_t>(answers_) != static_cast<std::uint32_t>(told >> 32); ++answers_)
      answer(unpacked_verdict(box_->answers[answers_ % inbox::most_frames]));
    auto const count = static_cast<std::uint32_t>(told) - static_cast<std::uint32_t>(taken_);
    taken_ += count;
    return count;
  }

 private:
  [[nodiscard]] std::uint64_t slot_of(std::span<std::byte const> piece) const {
    return frame_slot(reinterpret_cast<std::uint64_t>(piece.data()), static_cast<std::uint32_t>(piece.size()), given_);
  }

  inbox* box_;
  std::uint64_t given_{};
  std::uint64_t taken_{};
  std::uint64_t answers_{};
};

}  // namespace packetwarp::rdma::roce

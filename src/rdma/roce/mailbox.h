// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/roce/answer_taker.h"
#include "rdma/roce/packet.h"

namespace packetwarp::rdma::roce {

// What a CPU thread and a requester on a GPU tell each other about a queue, in pinned host memory: the CPU gives blank
// frames and the peer's answers, the GPU gives the blanks back as frames, in the same order. Each count is a number of
// all since the beginning, and is written after what it counts; only one side writes a line.
struct mailbox {
  static constexpr std::uint32_t most_blanks = 256, most_answers = 128;

  // By the CPU.
  alignas(128) std::uint64_t blanks_given;
  std::uint64_t answers_given;
  std::uint64_t stop;                              // not 0: the kernel ends
  alignas(128) std::uint64_t blanks[most_blanks];  // addresses of frames
  std::uint64_t answers[most_answers];             // packed_answer()
  // By the GPU.
  alignas(128) std::uint64_t made;  // frames
  std::uint64_t answers_taken;
  alignas(128) std::uint16_t lengths[most_blanks];  // of the frame in that blank, in bytes
};
static_assert(std::is_trivially_copyable_v<mailbox> && sizeof(mailbox) % 128 == 0);

// The fields of an acknowledgement that a requester reads.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t packed_answer(packet_fields const& answer) {
  return std::uint64_t{answer.syndrome} << 32 | (answer.psn & psn_mask);
}
[[nodiscard]] HOST_DEVICE constexpr packet_fields unpacked_answer(std::uint64_t packed) {
  packet_fields answer;
  answer.code = opcode::acknowledge;
  answer.psn = static_cast<std::uint32_t>(packed) & psn_mask;
  answer.syndrome = static_cast<std::uint8_t>(packed >> 32);
  return answer;
}

// The CPU's side of a mailbox, for one thread.
class mailbox_end final : public answer_taker {
 public:
  explicit mailbox_end(mailbox& box) : box_{&box} {}

  // Blanks that may be given now.
  [[nodiscard]] std::uint32_t room() const {
    return mailbox::most_blanks - static_cast<std::uint32_t>(given_ - taken_);
  }
  // Gives a blank, only with room; post() tells the GPU.
  void give(std::byte* blank) {
    box_->blanks[given_++ % mailbox::most_blanks] = reinterpret_cast<std::uint64_t>(blank);
  }
  void post() {
    if (given_ == posted_) return;
    posted_ = given_;
    detail::store_after(box_->blanks_given, given_, release_to_system);
  }
  // Gives an acknowledgement. It is dropped if the GPU is as many behind as the mailbox holds: a later one, or a
  // time-out, stands for it.
  void take(packet_fields const& answer) override {
    if (answers_ - answers_taken_ == mailbox::most_answers)
      answers_taken_ = detail::load_before(box_->answers_taken, acquire_from_system);
    if (answers_ - answers_taken_ == mailbox::most_answers) {
      ++dropped_;
      return;
    }
    box_->answers[answers_++ % mailbox::most_answers] = packed_answer(answer);
    detail::store_after(box_->answers_given, answers_, release_to_system);
  }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  // Frames that were made and not yet taken.
  [[nodiscard]] std::uint32_t made() {
    return static_cast<std::uint32_t>(detail::load_before(box_->made, acquire_from_system) - taken_);
  }
  // The bytes of the next one, in the order of the blanks; only if made() says so.
  [[nodiscard]] std::uint16_t take_length() { return box_->lengths[taken_++ % mailbox::most_blanks]; }

 private:
  mailbox* box_;
  std::uint64_t given_{};
  std::uint64_t posted_{};
  std::uint64_t taken_{};
  std::uint64_t answers_{};
  std::uint64_t answers_taken_{};
  std::uint64_t dropped_{};
};

}  // namespace packetwarp::rdma::roce

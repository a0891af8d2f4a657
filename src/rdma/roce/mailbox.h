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

// Words of a CPU thread and a requester on a GPU about a queue, in pinned host memory: the CPU gives blank
// frames and the peer's answers, the GPU gives the blanks back as frames, in the same order. Only one side writes a
// line. A slot of the CPU's says by itself which of all blanks, or answers, since the beginning it holds, so that the
// GPU has them after one trip over PCIe.
struct mailbox {
  static constexpr std::uint32_t most_blanks = 256, most_answers = 128;

  // By the CPU.
  alignas(128) std::uint64_t blanks[most_blanks];  // blank_slot()
  std::uint64_t rests[most_blanks];                // likewise, of frames in two pieces: the second one's
  std::uint64_t answers[most_answers];             // answer_slot()
  alignas(128) std::uint64_t stop;                 // not 0: the kernel ends
  // By the GPU.
  alignas(128) std::uint64_t told;                  // frames made in the low half, answers taken in the high one
  alignas(128) std::uint16_t lengths[most_blanks];  // of the frame in that blank, in bytes
};
static_assert(std::is_trivially_copyable_v<mailbox> && sizeof(mailbox) % 128 == 0);

// Blank `number`: its address, which has 48 bits, and the lap of the ring, from 1 on.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t blank_slot(std::uint64_t address, std::uint64_t number) {
  return (number / mailbox::most_blanks + 1) << 48 | address;
}
[[nodiscard]] HOST_DEVICE constexpr bool is_blank(std::uint64_t slot, std::uint64_t number) {
  return slot >> 48 == ((number / mailbox::most_blanks + 1) & 0xffff);
}
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t address_of_blank(std::uint64_t slot) {
  return slot & 0xffff'ffff'ffff;
}

// Answer `number`, from 0 on: the fields of an acknowledgement that a requester reads.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t answer_slot(packet_fields const& answer, std::uint64_t number) {
  return (number + 1) << 32 | std::uint64_t{answer.syndrome} << 24 | (answer.psn & psn_mask);
}
[[nodiscard]] HOST_DEVICE constexpr bool is_answer(std::uint64_t slot, std::uint64_t number) {
  return static_cast<std::uint32_t>(slot >> 32) == static_cast<std::uint32_t>(number + 1);
}
[[nodiscard]] HOST_DEVICE constexpr packet_fields fields_of_answer(std::uint64_t slot) {
  packet_fields answer;
  answer.code = opcode::acknowledge;
  answer.psn = static_cast<std::uint32_t>(slot) & psn_mask;
  answer.syndrome = static_cast<std::uint8_t>(slot >> 24);
  return answer;
}

[[nodiscard]] HOST_DEVICE constexpr std::uint64_t told_word(std::uint64_t made, std::uint64_t answers_taken) {
  return answers_taken << 32 | (made & 0xffff'ffff);
}

// The CPU's side of a mailbox, for one thread.
class mailbox_end final : public answer_taker {
 public:
  explicit mailbox_end(mailbox& box) : box_{&box} {}

  // Gives a blank, while fewer than most_blanks are given and not taken back as frames. rest: of frames in two pieces.
  void give(std::byte* blank, std::byte* rest = nullptr) {
    if (rest != nullptr)
      detail::store(box_->rests[given_ % mailbox::most_blanks],
                    blank_slot(reinterpret_cast<std::uint64_t>(rest), given_));
    auto& slot = box_->blanks[given_ % mailbox::most_blanks];
    detail::store_after(slot, blank_slot(reinterpret_cast<std::uint64_t>(blank), given_), release_to_system);
    ++given_;
  }
  // Gives an acknowledgement. It is dropped if the mailbox is full of answers that the GPU has not read: a later one,
  // or a time-out, stands for it.
  void take(packet_fields const& answer) override {
    auto const behind = [&] { return static_cast<std::uint32_t>(answers_) - static_cast<std::uint32_t>(told_ >> 32); };
    if (behind() == mailbox::most_answers) read_told();
    if (behind() == mailbox::most_answers) {
      ++dropped_;
      return;
    }
    auto& slot = box_->answers[answers_ % mailbox::most_answers];
    detail::store_after(slot, answer_slot(answer, answers_), release_to_system);
    ++answers_;
  }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  // Frames that were made and not yet taken.
  [[nodiscard]] std::uint32_t made() {
    read_told();
    return static_cast<std::uint32_t>(told_) - static_cast<std::uint32_t>(taken_);
  }
  // The bytes of the next one, in the order of the blanks; only if made() says so.
  [[nodiscard]] std::uint16_t take_length() { return box_->lengths[taken_++ % mailbox::most_blanks]; }

 private:
  void read_told() { told_ = detail::load_before(box_->told, acquire_from_system); }

  mailbox* box_;
  std::uint64_t told_{};  // as it was last seen
  std::uint64_t given_{};
  std::uint64_t taken_{};
  std::uint64_t answers_{};
  std::uint64_t dropped_{};
};

}  // namespace packetwarp::rdma::roce

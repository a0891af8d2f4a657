// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace packetwarp::inspect {

// The bytes that the checks of one packet's rules may still read: a position that a content is
// searched at counts one, and so does each byte of it that is compared there and is equal; an expression counts the
// bytes from its begin to the text's end, and per_bound more if it ends at its own bound; every other check
// counts one. Once it is spent, rules that need more do not match, and are counted (chain_result::out_of_bytes). The
// same work counts the same on each executor. A GPU has a bound of time beside it: how long bytes take there depends on
// the rule, and on what the lanes beside compare.
class search_budget {
 public:
  static constexpr std::uint64_t per_packet = std::uint64_t{1} << 18;
  static constexpr std::uint64_t per_byte = 32;  // of the packet's texts: the bodies of messages grow to 64 KiB
  static constexpr std::uint64_t per_bound = per_packet / 4;

  // text: bytes of the packet's payload and stream.
  HOST_DEVICE constexpr explicit search_budget(std::uint64_t text = 0) noexcept : left_{per_packet + per_byte * text} {}
  // The packet brings another text, such as a message's body.
  HOST_DEVICE constexpr void grow(std::uint64_t text) noexcept { left_ += per_byte * text; }

  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t left() const noexcept { return left_; }
  [[nodiscard]] HOST_DEVICE bool is_spent() const noexcept { return left_ == 0 || is_late(); }
  HOST_DEVICE constexpr void spend(std::uint64_t bytes) noexcept { left_ -= bytes < left_ ? bytes : left_; }

#if defined(__CUDA_ARCH__)
  // The clock of the multiprocessor, in cycles. It goes around after two seconds.
  [[nodiscard]] __device__ static std::uint32_t clock() noexcept {
    std::uint32_t now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
    return now;
  }
  // By the clock; not a second ahead.
  __device__ void end_at(std::uint32_t cycles) noexcept {
    end_ = cycles;
    has_end_ = 1;
  }
#endif

 private:
  [[nodiscard]] HOST_DEVICE bool is_late() const noexcept {
#if defined(__CUDA_ARCH__)
    return has_end_ != 0 && static_cast<std::int32_t>(clock() - end_) >= 0;
#else
    return false;
#endif
  }

  std::uint64_t left_;
  std::uint32_t end_{};
  std::uint32_t has_end_{};
};

}  // namespace packetwarp::inspect

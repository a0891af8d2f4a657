// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace packetwarp::inspect {

// An end by the clock of a GPU's multiprocessor; there is none on a CPU.
class clock_end {
 public:
  clock_end() = default;
#if defined(__CUDA_ARCH__)
  // In cycles. It goes around after two seconds.
  [[nodiscard]] __device__ static std::uint32_t now() noexcept {
    std::uint32_t cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles));
    return cycles;
  }
#else
  [[nodiscard]] static std::uint32_t now() noexcept { return 0; }
#endif
  // cycles: not a second ahead.
  HOST_DEVICE explicit clock_end(std::uint32_t cycles) noexcept : cycles_{cycles}, is_set_{1} {}
  [[nodiscard]] HOST_DEVICE bool is_over() const noexcept {
#if defined(__CUDA_ARCH__)
    return is_set_ != 0 && static_cast<std::int32_t>(now() - cycles_) >= 0;
#else
    return false;
#endif
  }

 private:
  std::uint32_t cycles_{};
  std::uint32_t is_set_{};
};

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
  [[nodiscard]] HOST_DEVICE bool is_spent() const noexcept { return left_ == 0 || end_.is_over(); }
  HOST_DEVICE constexpr void spend(std::uint64_t bytes) noexcept { left_ -= bytes < left_ ? bytes : left_; }

  HOST_DEVICE constexpr void end_at(clock_end end) noexcept { end_ = end; }
  [[nodiscard]] HOST_DEVICE constexpr clock_end end() const noexcept { return end_; }

  // The steps of automata that it allows: of each byte of a text one for each word of a bit NFA, or one. Once more were
  // asked for, it lacks steps, and what follows means nothing.
  HOST_DEVICE constexpr void allow_steps(std::uint32_t steps) noexcept { steps_ = steps; }
  [[nodiscard]] HOST_DEVICE constexpr bool take_steps(std::uint64_t steps) noexcept {
    if (steps_ == any_steps) return true;
    lacks_steps_ = lacks_steps_ || steps > steps_;
    steps_ -= lacks_steps_ ? 0 : static_cast<std::uint32_t>(steps);
    return !lacks_steps_;
  }
  [[nodiscard]] HOST_DEVICE constexpr bool lacks_steps() const noexcept { return lacks_steps_; }

 private:
  static constexpr std::uint32_t any_steps = ~std::uint32_t{0};

  std::uint64_t left_;
  clock_end end_{};
  std::uint32_t steps_{any_steps};
  bool lacks_steps_{};
};

}  // namespace packetwarp::inspect

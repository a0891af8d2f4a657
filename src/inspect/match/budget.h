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
// same work counts the same on each executor.
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
  [[nodiscard]] HOST_DEVICE constexpr bool is_spent() const noexcept { return left_ == 0; }
  HOST_DEVICE constexpr void spend(std::uint64_t bytes) noexcept { left_ -= bytes < left_ ? bytes : left_; }

 private:
  std::uint64_t left_;
};

}  // namespace packetwarp::inspect

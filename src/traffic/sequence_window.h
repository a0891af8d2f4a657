// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace packetwarp::traffic {

// The window's answer to a sequence number. A late number is further back than the window reaches: it may be the first
// of its number or a duplicate.
enum class arrival : std::uint8_t { first, duplicate, late };

// Remembers which of the last `size` sequence numbers were seen, one bit each: the memory is bounded.
class sequence_window {
 public:
  static constexpr std::uint64_t default_size = std::uint64_t{1} << 20;  // 128 KiB, 10 ms at 100 Mpps

  // `size` is rounded up to a power of two, at least 64.
  explicit sequence_window(std::uint64_t size = default_size);

  [[nodiscard]] std::uint64_t size() const { return bits_.size() * 64; }

  arrival mark(std::uint64_t number) {
    if (number >= end_) {
      advance(number + 1);
    } else if (end_ - number > size()) {
      return arrival::late;
    }
    std::uint64_t& word = bits_[number / 64 & mask_];
    std::uint64_t const bit = std::uint64_t{1} << number % 64;
    if ((word & bit) != 0) return arrival::duplicate;
    word |= bit;
    return arrival::first;
  }

 private:
  void advance(std::uint64_t end);

  std::vector<std::uint64_t> bits_;
  std::uint64_t mask_;   // of a word's place
  std::uint64_t end_{};  // one past the highest number seen
};

inline sequence_window::sequence_window(std::uint64_t size) {
  std::uint64_t words = 1;
  while (words * 64 < size) words *= 2;
  bits_.resize(words);
  mask_ = words - 1;
}

// Forgets the numbers that left the window: clears the bits of the numbers from the old end to the new one.
inline void sequence_window::advance(std::uint64_t end) {
  if (end - end_ >= size()) {
    bits_.assign(bits_.size(), 0);
  } else {
    for (std::uint64_t number = end_; number < end;) {
      if (number % 64 == 0 && end - number >= 64) {
        bits_[number / 64 & mask_] = 0;
        number += 64;
      } else {
        bits_[number / 64 & mask_] &= ~(std::uint64_t{1} << number % 64);
        ++number;
      }
    }
  }
  end_ = end;
}

}  // namespace packetwarp::traffic

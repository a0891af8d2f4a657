// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace packetwarp::regex {

// Sets of numbers, a bit each.
using bit_words = std::vector<std::uint64_t>;

inline void set_bit(bit_words& in, std::size_t bit) { in[bit / 64] |= std::uint64_t{1} << bit % 64; }

[[nodiscard]] inline bool have_common(bit_words const& left, bit_words const& right) {
  std::uint64_t common = 0;
  for (std::size_t i = 0; i < left.size(); ++i) common |= left[i] & right[i];
  return common != 0;
}

[[nodiscard]] inline bool is_zero(bit_words const& set) {
  std::uint64_t all = 0;
  for (auto const word : set) all |= word;
  return all == 0;
}

// found(bit), from the lowest.
template <class Found>
void for_bits(bit_words const& set, Found&& found) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (auto left = set[i]; left != 0; left &= left - 1)
      found(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }
}

// Sets of equal size, one after the other.
class bit_rows {
 public:
  bit_rows(std::size_t rows, std::size_t bits) : width_{(bits + 63) / 64}, words_(rows * width_) {}

  [[nodiscard]] std::size_t width() const { return width_; }  // words of a row
  void set(std::size_t row, std::size_t bit) { words_[row * width_ + bit / 64] |= std::uint64_t{1} << bit % 64; }
  void add_to(bit_words& set, std::size_t row) const {
    for (std::size_t i = 0; i < width_; ++i) set[i] |= words_[row * width_ + i];
  }
  void keep_in(bit_words& set, std::size_t row) const {
    for (std::size_t i = 0; i < width_; ++i) set[i] &= words_[row * width_ + i];
  }

 private:
  std::size_t width_;
  bit_words words_;
};

}  // namespace packetwarp::regex

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/std/bit>

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/container/shared_word.h"

namespace packetwarp::nat {

// The free numbers among 0 to size - 1: one bit per number, above them one bit for each word that has a free number,
// and so on up to one word. Any thread takes and gives back at any time, and no thread waits: the set has no count or
// cursor that all threads share, callers start from where their hash points, and when nearly all numbers are taken the
// upper words lead to the free ones. Zeroed memory is a set in which nothing is free.
//
// An upper bit is a hint that errs to one side. A word that has free numbers has its upper bit set, or the thread that
// filled it is about to set it. A set bit may be stale: between the two steps of a thread that gives a number back,
// another thread can take that number and clear the upper bit, which the first then sets over an empty word. A search
// that is led to an empty word clears the bit that led there, so that a stale bit costs one attempt, once.
class free_set {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  HOST_DEVICE constexpr free_set(std::uint64_t* words, std::uint32_t size) : words_{words}, size_{size} {}

  // Words of memory that a set of this size takes.
  [[nodiscard]] HOST_DEVICE static constexpr std::size_t words_for(std::uint32_t size) {
    std::size_t all = 0;
    std::uint32_t level = size;
    do {
      level = (level + 63) / 64;
      all += level;
    } while (level > 1);
    return all;
  }

  // Takes the first free number from start on in its word, or one that the upper words lead to. Returns none if no
  // number is free, or if other threads were faster so often that next to none is free.
  [[nodiscard]] HOST_DEVICE std::uint32_t take(std::uint32_t start) const {
    for (unsigned attempt = 0; attempt < max_attempts; ++attempt) {
      std::uint32_t const word = find_word(start);
      if (word == none) return none;
      std::uint32_t const taken = take_in_word(word, start & 63, ~std::uint64_t{0});
      if (taken != none) return taken;
    }
    return none;
  }

  // Takes a free number in the same word as `start` whose bit is in mask.
  [[nodiscard]] HOST_DEVICE std::uint32_t take_near(std::uint32_t start, std::uint64_t mask) const {
    return take_in_word(start / 64, start & 63, mask);
  }

  // Takes this number; false if it is not free.
  [[nodiscard]] HOST_DEVICE bool take_exactly(std::uint32_t number) const {
    return claim(number / 64, std::uint64_t{1} << (number & 63));
  }

  // How many of the numbers from first to last are free. Each word is read at its own moment.
  [[nodiscard]] HOST_DEVICE std::uint32_t count_free(std::uint32_t first, std::uint32_t last) const {
    std::uint32_t free = 0;
    for (auto word = first / 64; word <= last / 64; ++word) {
      auto bits = load(0, word);
      if (word == first / 64) bits &= ~std::uint64_t{0} << (first & 63);
      if (word == last / 64) bits &= ~std::uint64_t{0} >> (63 - (last & 63));
      free += static_cast<std::uint32_t>(cuda::std::popcount(bits));
    }
    return free;
  }

  // number: taken by the caller.
  HOST_DEVICE void give_back(std::uint32_t number) const { set_bits(0, words_in(0), number); }

  [[nodiscard]] HOST_DEVICE bool is_free(std::uint32_t number) const {
    return (load(0, number / 64) >> (number & 63) & 1) != 0;
  }

 private:
  static constexpr unsigned max_attempts = 64;

  // Levels count from 0, the numbers' own bits, and lie one after the other.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t words_in(unsigned level) const {
    std::uint32_t words = (size_ + 63) / 64;
    for (unsigned i = 0; i < level; ++i) words = (words + 63) / 64;
    return words;
  }
  [[nodiscard]] HOST_DEVICE constexpr std::size_t begin_of(unsigned level) const {
    std::size_t begin = 0;
    std::uint32_t words = (size_ + 63) / 64;
    for (unsigned i = 0; i < level; ++i, words = (words + 63) / 64) begin += words;
    return begin;
  }
  [[nodiscard]] HOST_DEVICE std::uint64_t load(std::size_t begin, std::uint32_t word) const {
    return shared(words_[begin + word]).load(cuda::memory_order_relaxed);
  }

  // The first set bit from `start` on, around the word's end.
  [[nodiscard]] HOST_DEVICE static std::uint32_t first_bit(std::uint64_t word, std::uint32_t start) {
    auto const turned = cuda::std::rotr(word, static_cast<int>(start));
    return (static_cast<std::uint32_t>(cuda::std::countr_zero(turned)) + start) & 63;
  }

  // A word of the lowest level that has free numbers according to the upper words: searched upwards from start's word,
  // then downwards.
  [[nodiscard]] HOST_DEVICE std::uint32_t find_word(std::uint32_t start) const {
    std::uint32_t word = start / 64;
    if (load(0, word) != 0) return word;
    unsigned level = 0;
    std::uint64_t bits = 0;
    while (bits == 0) {
      if (words_in(level) == 1) return none;
      ++level;
      word /= 64;
      bits = load(begin_of(level), word);
    }
    for (;;) {
      word = word * 64 + first_bit(bits, start / 64 & 63);
      bits = load(begin_of(--level), word);
      if (bits == 0) {  // taken meanwhile, or the bit that led here is stale
        clear_upward(level, word);
        return start / 64;
      }
      if (level == 0) return word;
    }
  }

  [[nodiscard]] HOST_DEVICE std::uint32_t take_in_word(std::uint32_t word, std::uint32_t start,
                                                       std::uint64_t mask) const {
    for (auto bits = load(0, word) & mask; bits != 0; bits = load(0, word) & mask) {
      auto const bit = first_bit(bits, start);
      if (claim(word, std::uint64_t{1} << bit)) return word * 64 + bit;
    }
    return none;
  }

  [[nodiscard]] HOST_DEVICE bool claim(std::uint32_t word, std::uint64_t bit) const {
    auto const before = shared(words_[word]).fetch_and(~bit, cuda::memory_order_acq_rel);
    if (before == bit) clear_upward(0, word);
    return (before & bit) != 0;
  }

  // For a word of a level that was found empty. A thread that gives a number back to the word sets the upper bit after
  // it, so a second test after the upper bit is cleared misses no number.
  HOST_DEVICE void clear_upward(unsigned level, std::uint32_t word) const {
    auto begin = begin_of(level);
    for (auto words = words_in(level); words > 1; words = (words + 63) / 64) {
      auto const upper = begin + words;
      auto const bit = std::uint64_t{1} << (word & 63);
      auto const before = shared(words_[upper + word / 64]).fetch_and(~bit, cuda::memory_order_acq_rel);
      if (shared(words_[begin + word]).load(cuda::memory_order_acquire) != 0) {
        set_bits(upper, (words + 63) / 64, word);
        return;
      }
      if (before != bit) return;
      word /= 64;
      begin = upper;
    }
  }

  // Sets a bit in the level that begins at `begin` and has `words` words, and in the level above if its word was empty.
  HOST_DEVICE void set_bits(std::size_t begin, std::uint32_t words, std::uint32_t number) const {
    for (;;) {
      auto const bit = std::uint64_t{1} << (number & 63);
      auto const before = shared(words_[begin + number / 64]).fetch_or(bit, cuda::memory_order_acq_rel);
      if (before != 0 || words == 1) return;
      number /= 64;
      begin += words;
      words = (words + 63) / 64;
    }
  }

  std::uint64_t* words_;
  std::uint32_t size_;
};

}  // namespace packetwarp::nat

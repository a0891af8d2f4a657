// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/table_memory.h"

namespace packetwarp {

// An array of words that executors read while one thread writes it. It lies in the host's memory, where writes are seen
// at once and in their order; executors on GPUs read copies, which commit() brings up to date. It starts as zeroes.
// Throws failure if the memory is not available.
template <std::unsigned_integral Word>
class shared_array {
 public:
  shared_array(table_places const& copies, std::size_t size)
      : size_{size},
        host_{{}, size * sizeof(Word), table_pages::when_written},
        words_{reinterpret_cast<Word*>(host_.data())} {
    for (auto const& place : copies) copies_.emplace_back(place, size * sizeof(Word));
    if (!copies_.empty()) is_stale_.resize((size + page - 1) / page);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Word const* host() const { return words_; }
  // The words for executors on the n-th GPU; the host's if no copy exists.
  [[nodiscard]] Word const* copy(std::size_t n = 0) const {
    return copies_.empty() ? host() : reinterpret_cast<Word const*>(copies_.at(n).data());
  }
  [[nodiscard]] Word operator[](std::size_t at) const { return words_[at]; }

  // A reader that sees the word sees earlier sets, too.
  void set(std::size_t at, Word value) {
    __atomic_store_n(words_ + at, value, __ATOMIC_RELEASE);
    if (!is_stale_.empty()) note_stale(at / page);
  }

  // Brings the copies up to date. Blocks.
  void commit() {
    std::sort(stale_.begin(), stale_.end());
    for (std::size_t i = 0; i < stale_.size();) {
      std::size_t const first = stale_[i];
      std::size_t end = first;
      for (; i < stale_.size() && stale_[i] == end; ++i, ++end) is_stale_[end] = false;
      auto const begin = first * page * sizeof(Word);
      auto const bytes = std::min(end * page * sizeof(Word), host_.size()) - begin;
      for (auto& copy : copies_) copy.write(begin, {host_.data() + begin, bytes});
    }
    stale_.clear();
  }
  // Leaves the copies to the process: a kernel that nothing can end may still read them.
  void abandon() {
    for (auto& copy : copies_) copy.abandon();
  }

 private:
  static constexpr std::size_t page = 4096 / sizeof(Word);  // the least unit of a copy, in words

  void note_stale(std::size_t n) {
    if (is_stale_[n]) return;
    is_stale_[n] = true;
    stale_.push_back(n);
  }

  std::size_t size_;
  table_memory host_;
  Word* words_;  // the host's: a table's millions of entries are set one by one
  std::vector<table_memory> copies_;
  std::vector<bool> is_stale_;      // by page; empty without a copy
  std::vector<std::size_t> stale_;  // pages
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "function/nat44/session/journal.h"

namespace packetwarp::nat {

// An executor's message about a session.
struct journal_entry {
  event what{};
  std::uint32_t number{};
  std::uint64_t inside{};
  std::uint64_t outside{};
  std::uint32_t when{};
};

// The reading end of a journal. For a single thread.
class journal_reader {
 public:
  journal_reader() = default;
  journal_reader(journal_record const* records, std::uint32_t mask) : records_{records}, mask_{mask} {}

  // The next entry, or nothing while it is incomplete.
  [[nodiscard]] std::optional<journal_entry> next() {
    auto const entry = at(read_);
    if (entry) ++read_;
    return entry;
  }
  // For a journal that has no writer any more: visits every entry, past entries that were begun and are incomplete.
  template <class Visit>
  void read_rest(Visit const& visit) {
    for (auto const end = read_ + mask_ + 1; read_ != end; ++read_) {
      if (auto const entry = at(read_)) visit(*entry);
    }
  }
  // Entries read ever: executors may overwrite these.
  [[nodiscard]] std::uint64_t read() const { return read_; }
  // Continues after lost entries.
  void skip_to(std::uint64_t written) { read_ = written; }

 private:
  [[nodiscard]] std::optional<journal_entry> at(std::uint64_t ticket) const {
    auto const& record = records_[ticket & mask_];
    auto const lap = journal_ref::lap_of(ticket, mask_);
    auto const inside = load(record.inside);
    auto const outside = load(record.outside);
    auto const what = load(record.what);
    auto const when = load(record.when);
    auto const is_of_lap = [lap](std::uint64_t word) { return (word >> 8 & 0xff) == lap; };
    if (!is_of_lap(inside) || !is_of_lap(outside) || !is_of_lap(what) || !is_of_lap(when)) return std::nullopt;
    constexpr std::uint64_t lap_bits = 0xff00;
    return journal_entry{static_cast<event>(what >> 16 & 0xff), static_cast<std::uint32_t>(what >> 32),
                         inside & ~lap_bits, outside & ~lap_bits, static_cast<std::uint32_t>(when >> 32)};
  }
  [[nodiscard]] static std::uint64_t load(std::uint64_t const& word) {
    return cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{const_cast<std::uint64_t&>(word)}.load(
        cuda::memory_order_relaxed);
  }
  journal_record const* records_{};
  std::uint32_t mask_{};
  std::uint64_t read_{};
};

}  // namespace packetwarp::nat

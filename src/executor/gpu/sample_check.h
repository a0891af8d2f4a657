// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>

#include "executor/gpu/offload/burst_observer.h"
#include "function/function.h"

namespace packetwarp {

// Repeats the GPU's work from time to time, on a copy of a burst's first bytes, and compares: a run that reports its
// rate has also checked that the work was done. It is for functions whose verdict and changes follow from these bytes
// alone.
template <packet_function F>
class sample_check final : public burst_observer {
 public:
  explicit sample_check(typename F::ref tables) : tables_{tables} {}

  void given(burst const& work, std::uint64_t position) override {
    if (position < next_ || taken_at_.load(std::memory_order_acquire) != nowhere) return;
    // The first burst, the second, the fourth and so on, until samples are frequent enough: short runs are checked,
    // too.
    next_ = position + std::clamp<std::uint64_t>(position, 1, bursts_between);
    packets_ = std::min<std::uint32_t>(work.size, most_packets);
    for (std::uint32_t i = 0; i < packets_; ++i) {
      auto const view = view_of(*work.packets[i]);
      std::memcpy(copies_[i].data(), view.data, std::min(view.contiguous, bytes_each));
    }
    taken_at_.store(position, std::memory_order_release);
  }

  void taken_back(burst const& work, std::uint64_t position, burst_outcome outcome) override {
    if (position != taken_at_.load(std::memory_order_acquire)) return;
    std::uint64_t wrong = 0;
    for (std::uint32_t i = 0; i < packets_; ++i) {
      auto const view = view_of(*work.packets[i]);
      auto const bytes = std::min(view.contiguous, bytes_each);
      auto const wanted = F::process({copies_[i].data(), bytes, view.length}, tables_);
      auto const given = outcome.is_uniform() ? outcome.of_all() : work.verdicts[i];
      if (wanted != given || std::memcmp(copies_[i].data(), view.data, bytes) != 0) ++wrong;
    }
    checked_.store(checked_.load(std::memory_order_relaxed) + packets_, std::memory_order_relaxed);
    wrong_.store(wrong_.load(std::memory_order_relaxed) + wrong, std::memory_order_relaxed);
    taken_at_.store(nowhere, std::memory_order_release);
  }

  void lost(std::uint64_t position) override {
    if (position == taken_at_.load(std::memory_order_acquire)) taken_at_.store(nowhere, std::memory_order_release);
  }

  [[nodiscard]] check_counts checked() const override {
    return {.packets = checked_.load(std::memory_order_relaxed), .wrong = wrong_.load(std::memory_order_relaxed)};
  }

 private:
  static constexpr std::uint32_t most_packets = 64;
  static constexpr std::uint32_t bytes_each = 128;
  static constexpr std::uint64_t bursts_between = 65536;
  static constexpr auto nowhere = std::numeric_limits<std::uint64_t>::max();

  typename F::ref tables_;
  std::uint64_t next_{0};
  // The burst of the sample. The giving thread writes the copy and then this; the collecting thread reads and clears
  // both.
  std::atomic<std::uint64_t> taken_at_{nowhere};
  std::uint32_t packets_{0};
  std::array<std::array<std::byte, bytes_each>, most_packets> copies_{};
  std::atomic<std::uint64_t> checked_{0};
  std::atomic<std::uint64_t> wrong_{0};
};

}  // namespace packetwarp

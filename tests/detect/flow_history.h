// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "burst/epoch.h"

namespace packetwarp::test {

// The packets of a flow so far, from which a large model's verdicts follow by the rule of docs/functions/detect.md.
// Packets come in the order of their epochs.
class flow_history {
 public:
  explicit flow_history(std::vector<std::uint32_t> milestones) : milestones_{std::move(milestones)} {}

  // The packet's verdict, anomalous or not, if it is the large model's; else the first model's stands. is_uncertain:
  // the packet's score by the first model is in the band; ask_large: the large model's verdict on it.
  [[nodiscard]] std::optional<bool> judge(epoch_number epoch, bool is_uncertain, auto const& ask_large) {
    learn(epoch);
    if (recent_.empty() || recent_.back().epoch != epoch) recent_.push_back({.epoch = epoch});
    auto& now = recent_.back();
    auto const passed = milestones_of(packets_);
    ++now.packets;
    now.passed |= passed;
    if (passed == 0 || !is_uncertain) return std::nullopt;
    if ((passed & ~passed_) == 0) {
      if (verdict_) ++followed_;
      return verdict_;
    }
    ++judged_;
    bool const large_says = ask_large();
    now.verdict = large_says || now.verdict.value_or(false);
    return large_says;
  }
  [[nodiscard]] std::uint64_t judged() const { return judged_; }
  [[nodiscard]] std::uint64_t followed() const { return followed_; }

 private:
  struct of_epoch {
    epoch_number epoch{};
    std::uint64_t packets{};
    std::uint32_t passed{};
    std::optional<bool> verdict{};  // anomalous if one of its packets was
  };

  // A packet knows of epochs up to the second one before its own.
  void learn(epoch_number epoch) {
    std::size_t known = 0;
    for (; known < recent_.size() && recent_[known].epoch + 2 <= epoch; ++known) {
      auto const& one = recent_[known];
      packets_ += one.packets;
      passed_ |= one.passed;
      if (one.verdict) verdict_ = one.verdict;
    }
    recent_.erase(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(known));
  }
  [[nodiscard]] std::uint32_t milestones_of(std::uint64_t packets) const {
    std::uint32_t all = 0;
    for (std::size_t n = 0; n < milestones_.size(); ++n) all |= packets >= milestones_[n] ? 1U << n : 0U;
    return all;
  }

  std::vector<std::uint32_t> milestones_;
  std::vector<of_epoch> recent_;
  // All epochs before these have:
  std::uint64_t packets_{};
  std::uint32_t passed_{};
  std::optional<bool> verdict_{};
  std::uint64_t judged_{};
  std::uint64_t followed_{};
};

}  // namespace packetwarp::test

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/search.h"

namespace packetwarp::bench {
namespace {

// The known bounds: the rate passes at `low` and not at `high`.
class bracket {
 public:
  bracket(search_limits const& within, double tolerated_percent) : within_{within}, tolerated_{tolerated_percent} {}

  // The lowest failure is the upper bound, and the highest pass below it the lower bound.
  void take(std::vector<trial> const& known) {
    for (auto const& one : known) {
      auto const said = judge(one, tolerated_);
      if (said == trial_verdict::passed || (high_ && one.offered_mpps >= *high_)) continue;
      high_ = one.offered_mpps;
      above_ = said;
    }
    low_ = 0;
    at_.reset();
    for (std::size_t i = 0; i < known.size(); ++i) {
      auto const rate = known[i].offered_mpps;
      bool const is_pass = judge(known[i], tolerated_) == trial_verdict::passed && (!high_ || rate < *high_);
      if (!is_pass || rate <= low_) continue;
      low_ = rate;
      at_ = i;
    }
  }
  // The next rate to try; nothing if the bounds are close enough.
  [[nodiscard]] std::optional<double> next() const {
    if (!high_) return low_ < within_.line_mpps ? std::optional{within_.line_mpps} : std::nullopt;
    auto const step = within_.line_mpps * within_.resolution_percent / 100;
    if (*high_ - low_ <= step) return std::nullopt;
    return (low_ + *high_) / 2;
  }
  [[nodiscard]] found_rate found() const {
    return {.tolerated_percent = tolerated_,
            .mpps = low_,
            .above_mpps = high_,
            .above = above_,
            .at = at_,
            .is_complete = !next().has_value()};
  }

 private:
  search_limits within_;
  double tolerated_;
  double low_{};
  std::optional<double> high_;
  trial_verdict above_{trial_verdict::passed};
  std::optional<std::size_t> at_;
};

}  // namespace

trial_verdict judge(trial const& one, double tolerated_percent) {
  if (one.loss_percent() > tolerated_percent) return trial_verdict::lossy;
  return one.is_offered() ? trial_verdict::passed : trial_verdict::not_offered;
}

std::string_view to_string(trial_verdict verdict) {
  switch (verdict) {
    case trial_verdict::passed:
      return "passed";
    case trial_verdict::lossy:
      return "lossy";
    case trial_verdict::not_offered:
      return "not-offered";
  }
  return "unknown";
}

found_rate search(search_limits const& within, double tolerated_percent, std::vector<trial>& known,
                  trial_runner const& run) {
  bracket between{within, tolerated_percent};
  between.take(known);
  for (auto rate = between.next(); rate; rate = between.next()) {
    auto const made = run(*rate);
    if (!made) break;
    known.push_back(*made);
    between.take(known);
  }
  return between.found();
}

}  // namespace packetwarp::bench

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/cycles.h"
#include "base/units.h"
#include "traffic/kept_pace.h"

namespace packetwarp::traffic {

// Tells when the next packet of one queue is due. Credit is time, which passes, and every packet costs credit; a packet
// may be sent while the credit is not negative. So packets are evenly spaced if the caller polls often, and the rate is
// exact over time. Packets that a stall of more than catch_up held up are left out: a flood would be another test.
class pacer {
 public:
  static constexpr double catch_up_seconds = 10e-3;

  // line_bits_per_second: the rate that is 100 %.
  pacer(rate how_fast, double line_bits_per_second, double cycles_per_second);

  // A stall is made up for by at most this number of packets of this size.
  void limit_catch_up(std::uint32_t packets, std::uint32_t bytes) {
    double const cost = packets * (per_packet_ + per_byte_ * static_cast<double>(bytes));
    if (cost > 0) most_credit_ = std::min(most_credit_, cost);
  }
  // Adds the time until `now`. The first call starts the clock, with a packet due.
  void refill(cycles now) {
    if (last_ == 0) last_ = now;
    if (now <= last_) return;
    auto const more = static_cast<double>(now - last_);
    auto const usable = std::min(more, most_credit_ - credit_);
    credit_ += usable;
    kept_.passed += more;
    kept_.lapsed += more - usable;
    last_ = now;
  }
  [[nodiscard]] bool is_due() const { return credit_ >= 0; }
  // The pace that was kept; nothing without a rate.
  [[nodiscard]] kept_pace kept() const { return has_rate() ? kept_ : kept_pace{}; }
  // Charges a packet of this many bytes in memory, without its frame check sequence.
  void charge(std::uint32_t bytes) { credit_ -= per_packet_ + per_byte_ * static_cast<double>(bytes); }

 private:
  [[nodiscard]] bool has_rate() const { return per_packet_ > 0 || per_byte_ > 0; }

  // The values are in cycles.
  double per_packet_{};
  double per_byte_{};
  double most_credit_;
  double credit_{};
  cycles last_{};
  kept_pace kept_{};
};

}  // namespace packetwarp::traffic

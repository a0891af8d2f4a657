// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "base/cycles.h"

namespace packetwarp {

// The same moment by the data path's clock and by the wall clock.
struct clock_pair {
  cycles at{};
  std::int64_t wall{};  // nanoseconds since 1970, UTC
};

// The pair of this moment, from the readings that were closest together.
[[nodiscard]] clock_pair read_clocks();

// Converts times of packets to UTC. The rate of the cycle counter is only known to some thousandths (DPDK 22.11 rounds
// it to 10 MHz on CPUs that do not tell it), and NTP changes that of the wall clock: a conversion by one pair of the
// start drifts. So the clock measures the rate before the first packet, and gets new pairs, up to one per second.
// Between pairs times go on at the measured rate, bent until the next pair is due so that they meet the wall clock
// there: they never go back, whenever packets are asked for. If the wall clock is set by more than a tenth of the time
// between pairs, times are set too. For one thread.
class packet_clock {
 public:
  // per_second: the rate of the cycle counter as far as it is known.
  packet_clock(clock_pair first, double per_second);

  // Whether the next pair is due. Pairs come quickly at first, then once per second.
  [[nodiscard]] bool is_due(cycles now) const { return now - last_.at >= static_cast<cycles>(wait_ * per_second_); }
  // The second pair, which measures the rate: no packet of an earlier moment is asked for.
  void begin(clock_pair now);
  // A later pair than the last one.
  void take(clock_pair now);
  // No packet of a moment before this one will be asked for: how it was converted is forgotten.
  void forget_before(cycles when);

  // Nanoseconds since 1970.
  [[nodiscard]] std::uint64_t time_of(cycles when) const;

 private:
  // A piece of the conversion, for packets from its beginning to that of the next piece.
  struct line {
    clock_pair from;
    double slope{};  // nanoseconds per cycle
    [[nodiscard]] std::int64_t wall_of(cycles when) const;
  };
  [[nodiscard]] double nanoseconds_per_cycle(clock_pair until) const;
  [[nodiscard]] bool is_plausible(double rate) const;
  void go_on_from(clock_pair told, double behind);

  double per_second_;
  double wait_;  // seconds to the next pair
  double rate_;  // nanoseconds per cycle, as last measured
  clock_pair last_;
  std::deque<line> lines_;  // in the order of time; at least one
};

}  // namespace packetwarp

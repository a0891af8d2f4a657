// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/timeline.h"

#include <cmath>

namespace packetwarp::traffic::stl {

timeline::timeline(program const& of, std::vector<load> const& loads, double factor, double cycles_per_second)
    : program_{of},
      cycles_per_second_{cycles_per_second},
      most_lag_{catch_up_seconds * cycles_per_second},
      is_unpaced_{std::isinf(factor)} {
  for (std::size_t i = 0; i < of.streams.size(); ++i) {
    auto const faster = is_unpaced_ || of.streams[i].has_fixed_rate ? 1 : factor;
    states_.push_back(
        {.interval = cycles_per_second / (loads[i].packets * faster), .is_dummy = of.streams[i].is_dummy});
  }
  for (std::uint32_t i = 0; i < of.streams.size(); ++i) {
    if (of.streams[i].starts_itself) start(i, 0);
  }
}

void timeline::put(double due, std::uint32_t stream) {
  waiting_.push_back({due, stream});
  std::push_heap(waiting_.begin(), waiting_.end());
}

void timeline::start(std::uint32_t stream, double at) {
  auto const& from = program_.streams[stream];
  auto& now = states_[stream];
  now.burst_began = at + from.gap_us * 1e-6 * cycles_per_second_;
  now.in_burst = 0;
  now.bursts_left = from.when.bursts;
  put(now.burst_began, stream);
}

// A next stream that is still sending is not started anew.
void timeline::end(std::uint32_t stream, double at) {
  auto const& from = program_.streams[stream];
  if (!from.next) return;
  if (++states_[stream].rounds == from.most_rounds) return;
  auto const next = static_cast<std::uint32_t>(*from.next);
  if (std::none_of(waiting_.begin(), waiting_.end(), [&](entry const& one) { return one.stream == next; })) {
    start(next, at);
  }
}

void timeline::advance() {
  auto const [due, stream] = waiting_.front();
  auto const& from = program_.streams[stream];
  auto& now = states_[stream];
  ++now.index;
  ++now.in_burst;
  if (waiting_.size() == 1 && from.when.is_continuous) {
    waiting_.front().due = now.burst_began + static_cast<double>(now.in_burst) * now.interval;
    return;
  }
  std::pop_heap(waiting_.begin(), waiting_.end());
  waiting_.pop_back();
  if (from.when.is_continuous || now.in_burst < from.when.packets) {
    put(now.burst_began + static_cast<double>(now.in_burst) * now.interval, stream);
  } else if (--now.bursts_left != 0) {
    now.in_burst = 0;
    now.burst_began = due + from.when.gap_us * 1e-6 * cycles_per_second_;
    put(now.burst_began, stream);
  } else {
    end(stream, due);
  }
}

}  // namespace packetwarp::traffic::stl

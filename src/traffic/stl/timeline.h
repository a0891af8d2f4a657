// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/cycles.h"
#include "traffic/kept_pace.h"
#include "traffic/stl/load.h"
#include "traffic/stl/program.h"

namespace packetwarp::traffic::stl {

// The stream whose packet comes next, and its time. Times are cycles from the program's start. The factor speeds up a
// stream's rate but not its gaps, as in TRex. Packets that a stall of more than catch_up held up are left out. For a
// single thread.
class timeline {
 public:
  static constexpr double catch_up_seconds = 10e-3;

  struct turn {
    std::uint32_t stream{};
    std::uint64_t index{};  // of the packet in its stream, which counts on when a stream starts again
  };

  // factor: of the streams without a fixed rate. Infinite for as fast as possible; all streams' packets then come in
  // the order of the profile's own times.
  timeline(program const& of, std::vector<load> const& loads, double factor, double cycles_per_second);

  // A stall is made up for by at most this number of packets, at this rate of all streams together.
  void limit_catch_up(std::uint32_t packets, double packets_per_second) {
    if (packets_per_second > 0) most_lag_ = std::min(most_lag_, packets / packets_per_second * cycles_per_second_);
  }
  // Adds the time until `now`. The first call starts the program.
  void let_pass(cycles now) {
    if (last_ == 0) last_ = now;
    if (now <= last_) return;
    auto const more = static_cast<double>(now - last_);
    last_ = now;
    auto const until = clock_ + more;
    clock_ = waiting_.empty() ? until : std::min(until, waiting_.front().due + most_lag_);
    kept_.passed += more;
    kept_.lapsed += until - clock_;
  }
  // The pace that was kept; nothing if the program is sent as fast as possible.
  [[nodiscard]] kept_pace kept() const { return is_unpaced_ ? kept_pace{} : kept_; }
  // The program has sent everything: all streams were bursts, and none comes next.
  [[nodiscard]] bool has_ended() const { return waiting_.empty(); }
  [[nodiscard]] bool is_due() const { return !waiting_.empty() && (is_unpaced_ || waiting_.front().due <= clock_); }
  // The packet that is due next. Only if has_ended() is false.
  [[nodiscard]] turn front() const {
    auto const stream = waiting_.front().stream;
    return {stream, states_[stream].index};
  }
  [[nodiscard]] bool is_dummy() const { return states_[waiting_.front().stream].is_dummy; }
  // Marks the packet at front() as taken.
  void advance();

 private:
  struct state {
    double interval{};
    double burst_began{};  // the due time of the burst's first packet
    std::uint64_t index{};
    std::uint64_t in_burst{};     // packets of the burst that have been sent
    std::uint64_t bursts_left{};  // with the burst that is being sent
    std::uint64_t rounds{};       // how often the stream has ended
    bool is_dummy{};
  };
  struct entry {
    double due;
    std::uint32_t stream;
    // The earliest comes first; streams that are due together keep the profile's order.
    friend bool operator<(entry const& a, entry const& b) {
      return a.due != b.due ? a.due > b.due : a.stream > b.stream;
    }
  };

  void start(std::uint32_t stream, double at);
  void end(std::uint32_t stream, double at);
  void put(double due, std::uint32_t stream);

  program const& program_;
  double cycles_per_second_;
  double most_lag_;
  bool is_unpaced_;
  std::vector<state> states_;
  std::vector<entry> waiting_;  // a heap
  double clock_{};
  cycles last_{};
  kept_pace kept_{};
};

}  // namespace packetwarp::traffic::stl

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/replay.h"

#include <algorithm>
#include <utility>

namespace packetwarp::traffic {

// Packets keep the file's order: a packet with an earlier time than one before it follows at once.
replay::replay(std::shared_ptr<capture const> recorded, capture_pace pace) : recorded_{std::move(recorded)} {
  if (pace == capture_pace::by_rate) return;
  auto const packets = recorded_->packets();
  auto const begin = packets.front().time;
  auto latest = begin;
  due_.reserve(packets.size());
  for (auto const& one : packets) {
    latest = std::max(latest, one.time);
    due_.push_back(latest - begin);
  }
  // The next round begins after the mean time between two packets.
  round_ = due_.back() + due_.back() / due_.size() + 1;
}

}  // namespace packetwarp::traffic

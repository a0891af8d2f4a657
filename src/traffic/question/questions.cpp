// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/question/questions.h"

#include <algorithm>

#include "wire/answer.h"
#include "wire/parse.h"

namespace packetwarp::traffic {

void questions::add(capture const& recorded, std::span<packet_class const> classes) {
  auto const packets = recorded.packets();
  auto const begin =
      std::min_element(packets.begin(), packets.end(), [](auto const& a, auto const& b) { return a.time < b.time; });
  for (std::size_t n = 0; n < packets.size(); ++n) {
    auto const bytes = recorded.bytes(packets[n]);
    auto const why = wire::why_unanswerable(bytes.data(), wire::parse(bytes.data(), bytes.size()));
    if (why != wire::unanswerable::none) {
      ++left_out_;
      continue;
    }
    all_.push_back({.offset = bytes_.size(),
                    .time = packets[n].time - begin->time,
                    .length = static_cast<std::uint16_t>(bytes.size()),
                    .known = classes[n]});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    largest_ = std::max(largest_, all_.back().length);
  }
}

void questions::sort() {
  std::stable_sort(all_.begin(), all_.end(), [](auto const& a, auto const& b) { return a.time < b.time; });
  for (auto const& one : all_) {
    before_.push_back(before_.back());
    ++before_.back()[number_of(one.known)];
  }
  // The next round begins after the mean time between two packets.
  if (!all_.empty()) round_ = all_.back().time + all_.back().time / all_.size() + 1;
}

std::uint64_t questions::sent_of(packet_class known, std::uint64_t sent) const {
  auto const n = number_of(known);
  return sent / all_.size() * before_.back()[n] + before_[sent % all_.size()][n];
}

}  // namespace packetwarp::traffic

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/stream/held_segments.h"

#include <algorithm>
#include <utility>

namespace packetwarp::inspect {

void held_segments::hold(segment held) {
  bytes_ += held.bytes.size();
  segments_.push_back(std::move(held));
  while (segments_.size() > most || bytes_ > most_bytes) {
    bytes_ -= segments_.front().bytes.size();
    segments_.erase(segments_.begin());
  }
}

void held_segments::pass(std::uint64_t position) {
  std::erase_if(segments_, [&](segment const& one) {
    bool const is_passed = one.end() < position || (one.end() == position && !one.is_last);
    if (is_passed) bytes_ -= one.bytes.size();
    return is_passed;
  });
}

std::span<std::byte const> held_segments::from(std::uint64_t position) const {
  auto const found = std::find_if(segments_.begin(), segments_.end(),
                                  [&](segment const& one) { return one.position <= position && position < one.end(); });
  if (found == segments_.end()) return {};
  return std::span{found->bytes}.subspan(static_cast<std::size_t>(position - found->position));
}

std::uint64_t held_segments::first_after(std::uint64_t position) const {
  auto first = no_position;
  for (auto const& one : segments_) {
    if (one.position > position) first = std::min(first, one.position);
  }
  return first;
}

bool held_segments::has_end_at(std::uint64_t position) const {
  return std::any_of(segments_.begin(), segments_.end(),
                     [&](segment const& one) { return one.is_last && one.end() == position; });
}

void held_segments::drop_end_at(std::uint64_t position) {
  for (auto& one : segments_) {
    if (one.end() == position) one.is_last = false;
  }
}

std::size_t held_segments::bytes() const { return bytes_ + segments_.capacity() * sizeof(segment); }

}  // namespace packetwarp::inspect

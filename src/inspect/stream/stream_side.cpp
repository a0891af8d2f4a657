// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/stream/stream_side.h"

#include <algorithm>
#include <utility>

namespace packetwarp::inspect {
namespace {

// Bytes that a window may keep beyond its size.
constexpr std::size_t most_kept_room = 16'384;

// From one number of TCP to another (RFC 9293, 3.4).
[[nodiscard]] std::int64_t distance(std::uint32_t from, std::uint32_t to) {
  return static_cast<std::int32_t>(to - from);
}

}  // namespace

void stream_side::begin(std::uint32_t first) {
  *this = {};
  has_begun_ = true;
  next_ = acknowledged_ = first;
}

void stream_side::begin(std::uint32_t first, std::vector<std::byte> bytes) {
  begin(first);
  window_ = std::move(bytes);
  unread_ = window_.size();
  next_ += static_cast<std::uint32_t>(unread_);
  position_ = delivered_ = unread_;
  is_found_anew = true;
}

std::size_t stream_side::bytes() const {
  constexpr std::size_t bytes_per_waiting = 96;  // of a map's node, and of its vector's block
  return window_.capacity() + other_.capacity() + waiting_bytes_ + bytes_per_waiting * waiting_.size() +
         found.capacity() * sizeof(found_rule);
}

std::span<std::byte const> stream_side::added() const { return std::span{window_}.subspan(read_); }

void stream_side::acknowledge(std::uint32_t number) {
  if (distance(acknowledged_, number) > 0) acknowledged_ = number;
}

void stream_side::add(std::uint32_t number, inspected_packet& packet, stream_counts& counts) {
  trim();
  packet.is_in_stream = distance(next_, number) <= farthest_ahead;
  if (packet.is_in_stream) {
    bool const has_waited = distance(next_, number) > 0;
    while (distance(next_, number) > 0 && !has_place_for(packet.payload_size)) skip_gap(counts);
    if (has_waited) ++counts.out_of_order;
    put(number, packet, counts);
  } else {
    ++counts.too_far_ahead;
  }
  append_waiting(counts);
  // The other side has got what was never seen here.
  if (!waiting_.empty() &&
      distance(next_, acknowledged_) >= static_cast<std::int64_t>(waiting_.begin()->first - position_))
    skip_gap(counts);
  overlay_displaced();
  show(packet);
}

void stream_side::note_end(std::uint32_t number) {
  auto const ahead = distance(next_, number);
  if (!has_begun_ || ahead < 0 || ahead > farthest_ahead) return;
  end_ = std::min(end_, position_ + static_cast<std::uint64_t>(ahead));
}

void stream_side::note_reset(std::uint32_t number) {
  if (number == next_) note_end(number);
}

bool stream_side::take_end() {
  if (!has_come_to_end()) return false;
  end_ = no_end;
  ++ends_;
  return true;
}

void stream_side::put(std::uint32_t number, inspected_packet& packet, stream_counts& counts) {
  std::span const bytes{packet.payload, packet.payload_size};
  auto const ahead = distance(next_, number);
  if (ahead > 0) {
    packet.differs_from_stream = !wait(position_ + static_cast<std::uint64_t>(ahead), bytes);
    if (packet.differs_from_stream) ++counts.differing;
    return;
  }
  auto const behind = static_cast<std::uint32_t>(-ahead);
  auto const old = std::min<std::size_t>(behind, bytes.size());
  if (old != 0) {
    bool const is_same = repeats(behind, bytes.first(old));
    ++(is_same ? counts.repeated : counts.differing);
    packet.differs_from_stream = !is_same;
  }
  append(bytes.subspan(old));
}

void stream_side::add_nothing(inspected_packet& packet) {
  trim();
  packet.is_in_stream = true;
  show(packet);
}

// The window's bytes are now those of earlier segments.
void stream_side::trim() {
  has_gap_ = false;
  if (unread_ == 0 && window_.size() > carried_bytes)
    window_.erase(window_.begin(), window_.end() - static_cast<std::ptrdiff_t>(carried_bytes));
  displaced_.clear();
  other_ = {};
  // A burst of bytes that had waited leaves its room.
  if (window_.capacity() > most_kept_room) window_.shrink_to_fit();
  carried_ = static_cast<std::uint32_t>(window_.size());
  read_ = window_.size() - std::exchange(unread_, 0);
}

void stream_side::show(inspected_packet& packet) const {
  packet.stream = {window_.data(), static_cast<std::uint32_t>(window_.size())};
  packet.carried = carried_;
  packet.has_whole_stream = !has_lost_bytes_ && delivered_ == window_.size();
}

void stream_side::append(std::span<std::byte const> bytes) {
  window_.insert(window_.end(), bytes.begin(), bytes.end());
  next_ += static_cast<std::uint32_t>(bytes.size());
  position_ += bytes.size();
  delivered_ += bytes.size();
}

void stream_side::append_waiting(stream_counts& counts) {
  while (!waiting_.empty() && waiting_.begin()->first <= position_) {
    auto const first = waiting_.begin();
    std::span const bytes{first->second};
    auto const behind = position_ - first->first;
    auto const old = std::min<std::size_t>(static_cast<std::size_t>(behind), bytes.size());
    bool const is_same = old == 0 || repeats(static_cast<std::uint32_t>(behind), bytes.first(old));
    append(bytes.subspan(old));
    waiting_bytes_ -= bytes.size();
    if (!is_same) {
      ++counts.differing;
      displaced_.push_back(waiting_.extract(first));
    } else {
      waiting_.erase(first);
    }
  }
}

void stream_side::overlay_displaced() {
  if (displaced_.empty()) return;
  other_ = window_;
  auto const begin = position_ - window_.size();
  for (auto const& one : displaced_) {
    auto const& bytes = one.mapped();
    auto const at = static_cast<std::size_t>(one.key() - begin);
    std::copy(bytes.begin(), bytes.end(), other_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  displaced_.clear();
}

bool stream_side::has_place_for(std::size_t bytes) const {
  return waiting_.size() < most_waiting && waiting_bytes_ + bytes <= most_waiting_bytes;
}

bool stream_side::wait(std::uint64_t position, std::span<std::byte const> bytes) {
  bool is_same = true;
  auto next = waiting_.upper_bound(position);
  if (next != waiting_.begin() && std::prev(next)->first + std::prev(next)->second.size() > position) --next;
  while (!bytes.empty()) {
    auto const until = next == waiting_.end() ? position + bytes.size() : next->first;
    if (position < until) {
      auto const fresh = bytes.first(std::min<std::size_t>(bytes.size(), until - position));
      waiting_.emplace_hint(next, position, std::vector<std::byte>{fresh.begin(), fresh.end()});
      waiting_bytes_ += fresh.size();
      bytes = bytes.subspan(fresh.size());
      position += fresh.size();
    } else {
      auto const there = std::span{next->second}.subspan(position - until);
      auto const common = std::min(there.size(), bytes.size());
      is_same =
          is_same && std::equal(there.begin(), there.begin() + static_cast<std::ptrdiff_t>(common), bytes.begin());
      bytes = bytes.subspan(common);
      position += common;
      ++next;
    }
  }
  return is_same;
}

void stream_side::skip_gap(stream_counts& counts) {
  if (waiting_.empty()) return;
  ++counts.gaps;
  has_gap_ = has_lost_bytes_ = true;
  window_.clear();
  carried_ = 0;
  read_ = 0;
  displaced_.clear();
  found.clear();
  auto const lost = waiting_.begin()->first - position_;
  position_ += lost;
  next_ += static_cast<std::uint32_t>(lost);
  append_waiting(counts);
}

bool stream_side::repeats(std::uint32_t behind, std::span<std::byte const> bytes) const {
  if (behind > window_.size()) return false;
  return std::equal(bytes.begin(), bytes.end(), window_.end() - static_cast<std::ptrdiff_t>(behind));
}

}  // namespace packetwarp::inspect

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/stream/stream_side.h"

#include <algorithm>
#include <utility>

#include "wire/tcp.h"

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
  next_ = acknowledged_ = received_ = first;
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
  return window_.capacity() + other_.capacity() + waiting_bytes_ + bytes_per_waiting * waiting_.size() + held_.bytes() +
         found.capacity() * sizeof(found_rule) + matched_alone.capacity() * sizeof(std::uint32_t);
}

std::span<std::byte const> stream_side::added() const { return std::span{window_}.subspan(read_); }

void stream_side::acknowledge(std::uint32_t number) {
  if (distance(acknowledged_, number) > 0) acknowledged_ = number;
}

void stream_side::receive(std::uint32_t number) {
  if (distance(received_, number) > 0) received_ = number;
}

bool stream_side::has_received() const {
  if (held_.is_empty() || distance(next_, received_) <= 0) return false;
  if (!held_.from(position_).empty() || held_.has_end_at(position_)) return true;
  auto const first = held_.first_after(position_);
  return first != held_segments::no_position &&
         first - position_ < static_cast<std::uint64_t>(distance(next_, received_));
}

void stream_side::add(std::uint32_t number, inspected_packet& packet, stream_counts& counts) {
  trim();
  append_received(counts);
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
  append_received(counts);
  // The other side has got what was never seen here.
  if (!waiting_.empty() &&
      distance(next_, acknowledged_) >= static_cast<std::int64_t>(waiting_.begin()->first - position_))
    skip_gap(counts);
  overlay_displaced();
  show(packet);
}

void stream_side::hold(std::uint32_t number, inspected_packet& packet, stream_counts& counts) {
  trim();
  append_received(counts);
  ++counts.discarded;
  has_just_held_ = true;
  auto const ahead = distance(next_, number);
  auto const old = static_cast<std::size_t>(std::max<std::int64_t>(-ahead, 0));
  bool const is_last = (packet.tcp_flags & wire::tcp_flag::fin) != 0;
  if (ahead <= farthest_ahead && (old < packet.payload_size || (is_last && old == packet.payload_size))) {
    auto const bytes = std::span{packet.payload, packet.payload_size}.subspan(old);
    held_.hold({.position = position_ + static_cast<std::uint64_t>(std::max<std::int64_t>(ahead, 0)),
                .bytes = {bytes.begin(), bytes.end()},
                .is_last = is_last});
  }
  show(packet);
  // Others have come into the stream with it.
  packet.is_in_stream = packet.differs_from_stream = packet.stream.size > packet.carried;
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

void stream_side::add_nothing(inspected_packet& packet, stream_counts& counts) {
  trim();
  append_received(counts);
  packet.is_in_stream = true;
  show(packet);
}

// The window's bytes are now those of earlier segments.
void stream_side::trim() {
  has_just_held_ = false;
  if (held_.is_empty()) matched_alone.clear();
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

void stream_side::add_rest(inspected_packet& packet, stream_counts& counts) {
  trim();
  packet.is_in_stream = true;
  if (held_.from(position_).empty() && !held_.has_end_at(position_)) skip_gap(counts);
  while (append_held(most_waiting_bytes, counts)) {
  }
  if (held_.has_end_at(position_)) note_end(next_);
  held_.drop_end_at(position_);
  held_.pass(position_);
  show(packet);
}

void stream_side::show(inspected_packet& packet) {
  packet.stream = {window_.data(), static_cast<std::uint32_t>(window_.size())};
  packet.carried = carried_;
  packet.has_whole_stream = !has_lost_bytes_ && delivered_ == window_.size();
  auto const hellos = hellos_.in_window(window_begin());
  packet.hellos = hellos.data();
  packet.hello_count = static_cast<std::uint32_t>(hellos.size());
}

void stream_side::append(std::span<std::byte const> bytes) {
  hellos_.note(delivered_, bytes);
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

bool stream_side::append_held(std::size_t most, stream_counts& counts) {
  auto const bytes = held_.from(position_);
  if (bytes.empty()) return false;
  auto const until = waiting_.empty() ? bytes.size() : static_cast<std::size_t>(waiting_.begin()->first - position_);
  append(bytes.first(std::min({bytes.size(), until, most})));
  append_waiting(counts);
  return true;
}

void stream_side::append_received(stream_counts& counts) {
  if (held_.is_empty()) return;
  auto const left = [this] { return distance(next_, received_); };
  while (left() > 0) {
    if (append_held(static_cast<std::size_t>(left()), counts)) continue;
    // The other side has got what was never seen here.
    auto const first = held_.first_after(position_);
    if (first == held_segments::no_position || first - position_ >= static_cast<std::uint64_t>(left())) break;
    // The bytes before a gap are judged first.
    if (window_.size() > carried_) break;
    skip_gap(counts);
  }
  if (left() > 0 && held_.has_end_at(position_)) {
    note_end(next_);
    held_.drop_end_at(position_);
  }
  held_.pass(position_);
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

std::uint64_t stream_side::first_known() const {
  auto const held = held_.first_after(position_);
  return waiting_.empty() ? held : std::min(held, waiting_.begin()->first);
}

void stream_side::skip_gap(stream_counts& counts) {
  // Bytes that the receiver may have taken are better than none.
  if (append_held(most_waiting_bytes, counts)) return held_.pass(position_);
  auto const first = first_known();
  if (first == held_segments::no_position) return;
  ++counts.gaps;
  has_gap_ = has_lost_bytes_ = true;
  window_.clear();
  hellos_.clear();
  carried_ = 0;
  read_ = 0;
  displaced_.clear();
  found.clear();
  auto const lost = first - position_;
  position_ += lost;
  next_ += static_cast<std::uint32_t>(lost);
  append_waiting(counts);
}

bool stream_side::repeats(std::uint32_t behind, std::span<std::byte const> bytes) const {
  if (behind > window_.size()) return false;
  return std::equal(bytes.begin(), bytes.end(), window_.end() - static_cast<std::ptrdiff_t>(behind));
}

}  // namespace packetwarp::inspect

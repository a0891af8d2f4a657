// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "inspect/match/inspected_packet.h"
#include "inspect/stream/held_segments.h"
#include "inspect/stream/hello_places.h"
#include "inspect/stream/stream_counts.h"

namespace packetwarp::inspect {

// Rules of a message that goes on with later segments.
struct message_rules {
  std::vector<std::uint32_t> waiting;  // their literal was found
  std::vector<std::uint32_t> matched;  // each matches once per message
};

// A direction of a TCP connection, from its first byte on: puts segments in order, and carries the last bytes to the
// next segment.
class stream_side {
 public:
  static constexpr std::size_t carried_bytes = 2048;
  static constexpr std::size_t most_waiting = 64;  // segments
  static constexpr std::size_t most_waiting_bytes = 65'536;
  static constexpr unsigned most_ends = 4;
  static constexpr std::int64_t farthest_ahead = 1 << 20;  // a segment beyond is not taken for one of the stream

  [[nodiscard]] bool has_begun() const { return has_begun_; }
  // first: the number of the direction's first byte.
  void begin(std::uint32_t first);
  // The same with bytes that were judged alone: rules look at them from the next segment on.
  void begin(std::uint32_t first, std::vector<std::byte> bytes);

  // Writes to the packet the bytes that its segment adds, as its stream. number: of its first byte.
  void add(std::uint32_t number, inspected_packet& packet, stream_counts& counts);
  // The same for a segment without bytes.
  void add_nothing(inspected_packet& packet, stream_counts& counts);
  // The same for a segment that the receiver discards, as far as one knows: its bytes become the stream's once the
  // other side has received them.
  void hold(std::uint32_t number, inspected_packet& packet, stream_counts& counts);
  // The same at the end of all packets: the first held bytes, and others that have waited for them, are of the stream.
  void add_rest(inspected_packet& packet, stream_counts& counts);
  // The other side has received the bytes before this number.
  void acknowledge(std::uint32_t number);
  // The same, by a segment that is not discarded.
  void receive(std::uint32_t number);

  // A FIN says that the direction has no bytes from this number on.
  void note_end(std::uint32_t number);
  // The same for a reset, which receivers heed only if its number is that of the next byte (RFC 5961, 3.2).
  void note_reset(std::uint32_t number);
  // Whether the bytes in order have come to such an end since the last call. Receivers heed one end: a few forged ones
  // are taken, too.
  [[nodiscard]] bool has_come_to_end() const { return end_ <= position_ && ends_ < most_ends; }
  [[nodiscard]] bool take_end();

  [[nodiscard]] std::span<std::byte const> added() const;  // by the last add(), and by begin()
  [[nodiscard]] bool has_unread() const { return unread_ != 0; }
  // Whether the other side has received bytes that are held, or an end.
  [[nodiscard]] bool has_received() const;
  [[nodiscard]] bool has_held() const { return !held_.is_empty(); }
  // The packet's stream with other bytes in it, which had waited until the packet brought some in their place: a host
  // may take either. Empty: all are the same.
  [[nodiscard]] text_view other() const { return {other_.data(), static_cast<std::uint32_t>(other_.size())}; }
  [[nodiscard]] bool has_gap() const { return has_gap_; }     // before them
  [[nodiscard]] std::uint32_t next() const { return next_; }  // number of the next byte
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::size_t bytes() const;  // of memory

  // Rules whose literal lies among the carried bytes.
  struct found_rule {
    std::uint32_t rule;
    std::uint64_t end;  // of the literal's window, in the stream
  };
  static constexpr std::size_t most_found = 256;
  std::vector<found_rule> found{};
  bool is_found_anew{};  // other rules have come: `found` is empty, whatever the carried bytes are
  // Rules that have matched held segments alone: they need not match the same bytes again, once each.
  static constexpr std::size_t most_matched_alone = 64;
  std::vector<std::uint32_t> matched_alone{};
  [[nodiscard]] bool take_matched_alone(std::uint32_t rule) { return std::erase(matched_alone, rule) != 0; }
  [[nodiscard]] bool has_just_held() const { return has_just_held_; }  // the last segment
  bool has_begun_http{};  // rules of HTTP have been compared with bytes of it
  // The position in the stream of the window's begin.
  [[nodiscard]] std::uint64_t window_begin() const { return delivered_ - window_.size(); }

 private:
  void trim();
  void show(inspected_packet& packet);
  void append(std::span<std::byte const> bytes);
  void put(std::uint32_t number, inspected_packet& packet, stream_counts& counts);
  void append_waiting(stream_counts& counts);
  // Held bytes that come next, this many at most. False: there are none.
  [[nodiscard]] bool append_held(std::size_t most, stream_counts& counts);
  void append_received(stream_counts& counts);
  // The position after the next one that has bytes.
  [[nodiscard]] std::uint64_t first_known() const;
  void overlay_displaced();
  [[nodiscard]] bool has_place_for(std::size_t bytes) const;  // that wait
  // Keeps the bytes that do not wait yet. False: others wait in the place of some.
  [[nodiscard]] bool wait(std::uint64_t position, std::span<std::byte const> bytes);
  // Goes on with the next bytes that wait or are held.
  void skip_gap(stream_counts& counts);
  [[nodiscard]] bool repeats(std::uint32_t behind, std::span<std::byte const> bytes) const;

  bool has_begun_{};
  bool has_gap_{};
  bool has_lost_bytes_{};
  bool has_just_held_{};
  std::uint32_t next_{};          // the number of the next byte
  std::uint32_t acknowledged_{};  // by the other side
  std::uint32_t received_{};      // the same, without segments that are discarded
  std::uint64_t delivered_{};     // bytes before `next_`, those of gaps left out
  std::size_t unread_{};          // bytes of the window that begin() brought, until the next add()
  std::size_t read_{};            // bytes of the window before those that add() and begin() brought
  std::uint32_t carried_{};       // bytes of the window that were there before the last add()
  std::vector<std::byte> window_;
  hello_places hellos_;  // positions as in `delivered_`
  using waiting_segments = std::map<std::uint64_t, std::vector<std::byte>>;
  waiting_segments waiting_;  // by their distance from the direction's first byte; none overlaps another
  std::size_t waiting_bytes_{};
  held_segments held_;
  std::vector<waiting_segments::node_type>
      displaced_;  // had waited, and differ from the bytes that came in their place
  std::vector<std::byte> other_;
  std::uint64_t position_{};  // of `next_` from the direction's first byte
  static constexpr std::uint64_t no_end = ~std::uint64_t{};
  std::uint64_t end_{no_end};  // the first one that was noted, as a position
  unsigned ends_{};            // that were taken
};

}  // namespace packetwarp::inspect

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/replay/replayed_frames.h"

#include <fmt/format.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t line_bytes = 64;
// A small number of frames is kept several times, so that a burst seldom meets their end.
constexpr std::size_t fewest_kept = 64;
constexpr std::size_t lines_ahead = 16;
// Packets whose lines are prefetched while as many others are written: a core fetches about twice as many at once.
constexpr std::size_t asked_at_once = 8;

[[nodiscard]] constexpr std::uint32_t lines_of(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + line_bytes - 1) / line_bytes);
}

using frame_bytes = std::span<std::byte const>;

[[nodiscard]] std::vector<frame_bytes> share_of(frame_list const& list, frame_share share) {
  auto const& all = list.frames;
  std::vector<frame_bytes> own;
  for (std::size_t n = share.queue.value(); n < all.size(); n += share.queues) own.push_back(all[n]);
  if (own.empty()) own.push_back(all[share.queue.value() % all.size()]);
  auto const once = own.size();
  while (own.size() < fewest_kept) own.insert(own.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(once));
  return own;
}

// The fields of an mbuf that drivers fill in one store; a receive job reads the lengths among them in one load. A
// driver's findings about the received packet do not hold for the frame.
using fields = std::uint32_t __attribute__((vector_size(16), may_alias));
static_assert(offsetof(rte_mbuf, packet_type) % sizeof(fields) == 0 &&
              offsetof(rte_mbuf, pkt_len) == offsetof(rte_mbuf, packet_type) + 4 &&
              offsetof(rte_mbuf, data_len) == offsetof(rte_mbuf, packet_type) + 8 &&
              std::endian::native == std::endian::little);

[[nodiscard]] constexpr fields fields_of(std::uint32_t length) { return fields{0, length, length, 0}; }

// Reduces a packet of several mbufs to its first.
[[gnu::noinline]] void shorten(rte_mbuf& packet) {
  rte_pktmbuf_free(packet.next);
  packet.next = nullptr;
  packet.nb_segs = 1;
}

constexpr int for_writing = 1;

// Writes over received packets, of one mbuf or several, whose data may begin anywhere.
struct over_received {
  static void ask_for(rte_mbuf const& packet) {
    __builtin_prefetch(static_cast<std::byte const*>(packet.buf_addr) + RTE_PKTMBUF_HEADROOM, for_writing);
  }
  // Returns the place for the frame's bytes.
  [[nodiscard, gnu::always_inline]] std::byte* prepare(rte_mbuf& packet, fields about) const {
    if (packet.nb_segs != 1) [[unlikely]]
      shorten(packet);
    packet.data_off = RTE_PKTMBUF_HEADROOM;
    *reinterpret_cast<fields*>(&packet.packet_type) = about;
    return static_cast<std::byte*>(packet.buf_addr) + RTE_PKTMBUF_HEADROOM;
  }
};

// Writes into packets as a pool gives them: of one mbuf, without another owner.
struct into_new {
  explicit into_new(port_id received_by)
      : rearm{RTE_PKTMBUF_HEADROOM | 1u << 16, 1u | std::uint32_t{received_by.value()} << 16, 0, 0} {}
  // Data lies after its mbuf, as in the host's pools; its address is computed without waiting for the mbuf's line.
  static void ask_for(rte_mbuf const& packet) {
    __builtin_prefetch(&packet, for_writing);
    __builtin_prefetch(reinterpret_cast<std::byte const*>(&packet + 1) + RTE_PKTMBUF_HEADROOM, for_writing);
  }
  [[nodiscard, gnu::always_inline]] std::byte* prepare(rte_mbuf& packet, fields about) const {
    *reinterpret_cast<fields*>(&packet.rearm_data) = rearm;
    *reinterpret_cast<fields*>(&packet.packet_type) = about;
    return static_cast<std::byte*>(packet.buf_addr) + RTE_PKTMBUF_HEADROOM;
  }
  // data_off, refcnt, nb_segs and port; ol_flags.
  fields rearm;
};
static_assert(offsetof(rte_mbuf, rearm_data) % sizeof(fields) == 0 &&
              offsetof(rte_mbuf, data_off) == offsetof(rte_mbuf, rearm_data) &&
              offsetof(rte_mbuf, refcnt) == offsetof(rte_mbuf, rearm_data) + 2 &&
              offsetof(rte_mbuf, nb_segs) == offsetof(rte_mbuf, rearm_data) + 4 &&
              offsetof(rte_mbuf, port) == offsetof(rte_mbuf, rearm_data) + 6 &&
              offsetof(rte_mbuf, ol_flags) == offsetof(rte_mbuf, rearm_data) + 8);

[[gnu::always_inline]] inline void copy_line(std::byte* to, std::byte const* from) {
  __builtin_prefetch(from + lines_ahead * line_bytes);
  std::memcpy(to, from, line_bytes);
}

[[gnu::always_inline]] inline void copy_lines(std::byte* to, std::byte const* from, std::uint32_t lines) {
  do {
    copy_line(to, from);
    to += line_bytes;
    from += line_bytes;
  } while (--lines != 0);
}

}  // namespace

void require_room(frame_list const& list, std::uint32_t data_room) {
  auto const most = data_room / line_bytes * line_bytes;
  for (std::size_t n = 0; n < list.frames.size(); ++n) {
    if (list.frames[n].size() <= most) continue;
    throw usage_error(fmt::format("--replay: {}: frame {} has {} bytes; a packet has room for one of {} at most",
                                  list.file, n + 1, list.frames[n].size(), most));
  }
}

replayed_frames::replayed_frames(frame_list const& list, frame_share share, worked_on by) : by_{by} {
  auto const own = share_of(list, share);
  std::size_t lines = 0;
  for (auto const& frame : own) lines += lines_of(frame.size());
  memory_ = table_memory{table_place{}, lines * line_bytes};
  bool const is_one_length =
      std::all_of(own.begin(), own.end(), [&](auto const& frame) { return frame.size() == own.front().size(); });
  if (is_one_length) length_ = static_cast<std::uint32_t>(own.front().size());
  std::uint32_t line = 0;
  for (auto const& frame : own) {
    memory_.write(std::size_t{line} * line_bytes, frame);
    if (!is_one_length) places_.push_back({line, static_cast<std::uint32_t>(frame.size())});
    line += lines_of(frame.size());
  }
  lines_ = memory_.data();
  frames_ = own.size();
}

void replayed_frames::write_over(std::span<rte_mbuf* const> packets) {
  if (by_ == worked_on::by_gpu) return write_ahead(packets, over_received{});
  write(packets, over_received{});
}

void replayed_frames::write_new(std::span<rte_mbuf* const> packets, port_id received_by) {
  write_ahead(packets, into_new{received_by});
}

// A store to a line that is in no cache waits for it, and later stores wait, too; prefetched lines come side by side.
template <class How>
void replayed_frames::write_ahead(std::span<rte_mbuf* const> packets, How const& how) {
  auto const first_of = [](std::span<rte_mbuf* const> of) { return of.first(std::min(of.size(), asked_at_once)); };
  auto const ask_for = [](std::span<rte_mbuf* const> some) {
    for (auto const* const packet : some) How::ask_for(*packet);
  };
  ask_for(first_of(packets));
  while (!packets.empty()) {
    auto const asked = first_of(packets);
    packets = packets.subspan(asked.size());
    ask_for(first_of(packets));
    ask_for_all_lines(asked);
    write(asked, how);
  }
}

// A frame of several lines would wait for each line after the first.
void replayed_frames::ask_for_all_lines(std::span<rte_mbuf* const> packets) const {
  if (length_ != 0 && length_ <= line_bytes) return;
  auto n = next_;
  for (auto const* const packet : packets) {
    auto const lines = lines_of(length_ != 0 ? length_ : places_[n].length);
    auto const* const to = static_cast<std::byte const*>(packet->buf_addr) + RTE_PKTMBUF_HEADROOM;
    for (std::uint32_t line = 1; line < lines; ++line) __builtin_prefetch(to + line * line_bytes, for_writing);
    if (++n == frames_) n = 0;
  }
}

template <class How>
void replayed_frames::write(std::span<rte_mbuf* const> packets, How const& how) {
  while (!packets.empty()) {
    auto const some = packets.first(std::min(packets.size(), frames_ - next_));
    if (length_ == 0) {
      write_of_any_length(some, how);
    } else if (length_ <= line_bytes) {
      write_lines(some, how);
    } else {
      write_of_one_length(some, how);
    }
    next_ += some.size();
    if (next_ == frames_) next_ = 0;
    packets = packets.subspan(some.size());
  }
}

template <class How>
void replayed_frames::write_lines(std::span<rte_mbuf* const> packets, How const& how) const {
  auto const about = fields_of(length_);
  auto const* from = lines_ + next_ * line_bytes;
  for (auto* const packet : packets) {
    copy_line(how.prepare(*packet, about), from);
    from += line_bytes;
  }
}

template <class How>
void replayed_frames::write_of_one_length(std::span<rte_mbuf* const> packets, How const& how) const {
  auto const about = fields_of(length_);
  auto const lines = lines_of(length_);
  auto const* from = lines_ + next_ * lines * line_bytes;
  for (auto* const packet : packets) {
    copy_lines(how.prepare(*packet, about), from, lines);
    from += std::size_t{lines} * line_bytes;
  }
}

template <class How>
void replayed_frames::write_of_any_length(std::span<rte_mbuf* const> packets, How const& how) const {
  auto const* place = places_.data() + next_;
  for (auto* const packet : packets) {
    copy_lines(how.prepare(*packet, fields_of(place->length)), lines_ + std::size_t{place->line} * line_bytes,
               lines_of(place->length));
    ++place;
  }
}

}  // namespace packetwarp

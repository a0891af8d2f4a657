// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rdma/queue_pair.h"
#include "rdma/roce/connection.h"
#include "rdma/roce/lane_frame.h"
#include "rdma/roce/lane_requester.h"
#include "rdma/roce/mailbox.h"

namespace packetwarp::rdma::roce::test {

// The lanes of a warp one after another, on a CPU.
struct loop_lanes {
  template <class Step>
  void each(Step const& step) const {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) step(lane);
  }
  template <class Test>
  [[nodiscard]] std::uint32_t ballot(Test const& test) const {
    std::uint32_t found = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) found |= std::uint32_t{test(lane)} << lane;
    return found;
  }
  template <class Value>
  [[nodiscard]] std::uint32_t sum(Value const& value) const {
    std::uint32_t all = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) all += value(lane);
    return all;
  }
  template <class Step>
  void one(Step const& step) const {
    step();
  }
};

[[nodiscard]] inline std::shared_ptr<lane_tables const> make_tables() {
  auto made = std::make_shared<lane_tables>();
  for (std::uint32_t i = 0; i < lane_tables::words; ++i) made->of[i / 256][i % 256] = table_word(i);
  return made;
}

// The frame of an order by lanes, step by step, as the kernel takes them. rest: as copy_out()'s.
inline void make_by_lanes(frame_order const& order, lane_tables const& tables, std::uint64_t rest = 0) {
  alignas(16) std::array<std::byte, frame_room> room;
  room.fill(std::byte{0xaa});
  lane_frame const frame{order, room.data()};
  for (std::uint32_t lane = 0; lane < lanes; ++lane) frame.write_bytes(lane);
  std::uint32_t parts = 0;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) parts ^= frame.icrc_part(lane, tables, lane_power(lane));
  frame.write_icrc(parts);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) frame.copy_out(lane, rest);
}

// A queue's requester as the kernel's block is, on a CPU: a round when it is asked for.
class looped_requester {
 public:
  // tables: of make_tables(); blanks: that it has at a time; pieces: of its frames.
  looped_requester(connection_settings const& settings, queue_parts const& parts, region_table_ref regions,
                   std::shared_ptr<lane_tables const> tables, std::uint32_t blanks = 128,
                   frame_pieces pieces = frame_pieces::one)
      : to_{.remote_number = settings.remote_number,
            .pieces = pieces,
            .path = settings.path,
            .mtu_shift = static_cast<std::uint32_t>(std::countr_zero(settings.how.mtu)),
            .most_writes = std::min(parts.size, std::bit_ceil(2 * settings.how.window))},
        tables_{std::move(tables)},
        blanks_{blanks},
        blank_bytes_{frame_room_of(settings.how.mtu)},
        box_{std::make_unique<mailbox>()},
        writes_(to_.most_writes),
        room_{std::make_unique<requester_room>(parts, cuda::thread_scope_system, settings.how, settings.send_psn)},
        frames_(blanks * blank_bytes_ + 16),
        rests_(pieces == frame_pieces::two ? frames_.size() : 0),
        requester_{by_, to_, regions, *box_, writes_.data(), *room_},
        end{*box_} {}
  looped_requester(looped_requester const&) = delete;
  looped_requester& operator=(looped_requester const&) = delete;

  // A round, and then `send` for each frame.
  template <class Send>
  void serve(std::uint64_t now, Send const& send) {
    for (; given_ - taken_ < blanks_; ++given_) end.give(blank(given_), rest(given_));
    requester_.read_mailbox();
    auto& round = room_->rounds[0];
    requester_.plan(now, round);
    for (std::uint32_t n = 0; n < round.count; ++n) make_by_lanes(round.orders[n], *tables_, round.rest_at[n]);
    if (round.has_news != 0) requester_.tell(round.told);
    for (auto made = end.made(); made != 0; --made, ++taken_) send(std::span<std::byte const>{next_frame()});
  }
  // Gives all blanks, and has the reader read, as it does while another warp plans.
  void read_ahead(int times) {
    for (; given_ - taken_ < blanks_; ++given_) end.give(blank(given_), rest(given_));
    for (int n = 0; n < times; ++n) requester_.read_mailbox();
  }
  [[nodiscard]] requester_room const& room() const { return *room_; }
  // Whether all writes that were committed before the last round have ended.
  [[nodiscard]] bool is_idle() const { return room_->told == room_->posted && !room_->queue.has_entry(); }
  [[nodiscard]] requester_counters const& sent() const { return room_->window.counters(); }
  [[nodiscard]] engine_counters const& queue() const { return room_->queue.counters(); }

 private:
  [[nodiscard]] std::byte* place(std::vector<std::byte>& memory, std::uint64_t n) const {
    auto const at = reinterpret_cast<std::uintptr_t>(memory.data()) % 16;
    return memory.data() + (16 - at) % 16 + n % blanks_ * blank_bytes_;
  }
  [[nodiscard]] std::byte* blank(std::uint64_t n) { return place(frames_, n) + frame_lead; }
  [[nodiscard]] std::byte* rest(std::uint64_t n) { return rests_.empty() ? nullptr : place(rests_, n); }
  // In one piece.
  [[nodiscard]] std::vector<std::byte> next_frame() {
    auto const bytes = std::size_t{end.take_length()};
    auto const first = rests_.empty() ? bytes : std::min<std::size_t>(bytes, first_piece_bytes);
    std::vector<std::byte> frame(blank(taken_), blank(taken_) + first);
    if (first != bytes) frame.insert(frame.end(), rest(taken_), rest(taken_) + (bytes - first));
    return frame;
  }

  loop_lanes by_;
  lane_connection to_;
  std::shared_ptr<lane_tables const> tables_;
  std::uint32_t blanks_;
  std::size_t blank_bytes_;
  std::unique_ptr<mailbox> box_;
  std::vector<placed_write> writes_;
  std::unique_ptr<requester_room> room_;
  std::vector<std::byte> frames_;
  std::vector<std::byte> rests_;
  lane_requester<loop_lanes> requester_;
  std::uint64_t given_{};
  std::uint64_t taken_{};

 public:
  mailbox_end end;
};

}  // namespace packetwarp::rdma::roce::test

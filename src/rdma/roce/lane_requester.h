// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/std/bit>

#include <cstdint>

#include "base/host_device.h"
#include "rdma/engine/write_check.h"
#include "rdma/region_table.h"
#include "rdma/roce/mailbox.h"
#include "rdma/roce/requester_room.h"

namespace packetwarp::rdma::roce {

// The requester of a reliable connection by the 32 lanes of a warp: it reads up to 32 WQEs, plans up to 32 packets, and
// takes up to 32 answers at a time. It decides as `requester` does, by the same send_window.
//
// `Lanes` says how lanes run. each(f) calls f(lane) for all of them, and returns when all have returned; ballot(f) does
// so and returns the results, a bit each, and sum(f) their sum; one(f) calls f once, after all that came before. On a
// GPU they are a warp's threads, in tests a loop.

template <class Lanes>
class lane_requester {
 public:
  // writes: a ring of most_writes.
  HOST_DEVICE lane_requester(Lanes const& by, lane_connection const& to, region_table_ref regions, mailbox& box,
                             placed_write* writes, requester_room& room)
      : by_{by}, to_{to}, regions_{regions}, box_{box}, writes_{writes}, room_{room} {}

  // Reads the next slots of the mailbox: the CPU's new blanks and answers. A trip over PCIe, so another warp than that
  // of the plan does it meanwhile. A slot says by itself which number it holds, and so does that of a second piece,
  // which may be seen before it.
  HOST_DEVICE void read_mailbox() const {
    auto const blanks = room_.blanks_read, answers = room_.answers_read;
    auto const blank_room = room_for(blanks, room_.blanks_taken), answer_room = room_for(answers, room_.answers_taken);
    by_.each([&](std::uint32_t lane) {
      auto const place = (blanks + lane) % mailbox::most_blanks;
      // An answer is whole in its slot. A blank was the CPU's before: all that the CPU did with it has ended.
      room_.seen_answers[lane] = detail::load(box_.answers[(answers + lane) % mailbox::most_answers]);
      room_.seen_rests[lane] = has_rests() ? detail::load(box_.rests[place]) : 0;
      room_.seen_blanks[lane] = detail::load_acquire(box_.blanks[place]);
    });
    auto const new_blanks = in_a_row(by_.ballot([&](std::uint32_t lane) {
      return lane < blank_room && is_blank(room_.seen_blanks[lane], blanks + lane) &&
             (!has_rests() || is_blank(room_.seen_rests[lane], blanks + lane));
    }));
    auto const new_answers = in_a_row(by_.ballot(
        [&](std::uint32_t lane) { return lane < answer_room && is_answer(room_.seen_answers[lane], answers + lane); }));
    by_.each([&](std::uint32_t lane) {
      auto const blank = (blanks + lane) % requester_room::most_read;
      if (lane < new_blanks) room_.blanks[blank] = room_.seen_blanks[lane];
      if (lane < new_blanks) room_.rests[blank] = room_.seen_rests[lane];
      if (lane < new_answers) room_.answers[(answers + lane) % requester_room::most_read] = room_.seen_answers[lane];
    });
    by_.one([&] {
      tell_other(room_.blanks_read, blanks + new_blanks);
      tell_other(room_.answers_read, answers + new_answers);
    });
  }

  // Decides on the frames of a round, of which others may be made meanwhile.
  HOST_DEVICE void plan(std::uint64_t now, round_of_frames& into) const {
    take_answers(now);
    end_writes();
    write_completions();
    read_queue();
    end_writes();
    write_completions();
    plan_frames(into);
    by_.one([&] {
      into.count = room_.count;
      into.has_news = room_.count != 0 || room_.has_news != 0 ? 1 : 0;
      into.told = told_word(room_.blanks_taken, room_.answers_taken);
    });
  }
  // Tells the CPU of a round's frames, once they are made, and of the answers that were taken for it, if the round has
  // news: by its word. By any warp; rounds are told of in their order.
  HOST_DEVICE void tell(std::uint64_t told) const {
    by_.one([&] { detail::store_after(box_.told, told, release_to_system); });
  }

 private:
  [[nodiscard]] HOST_DEVICE bool has_rests() const { return to_.pieces == frame_pieces::two; }
  [[nodiscard]] HOST_DEVICE static std::uint32_t in_a_row(std::uint32_t bits) {
    return static_cast<std::uint32_t>(cuda::std::countr_one(bits));
  }
  // Slots that the reader may keep: those that the plan has not used stay.
  [[nodiscard]] HOST_DEVICE static std::uint64_t room_for(std::uint64_t read, std::uint64_t const& taken) {
    return requester_room::most_read - (read - number_of_other(taken));
  }
  [[nodiscard]] HOST_DEVICE placed_write& write_at(std::uint64_t position) const {
    return writes_[position & (to_.most_writes - 1)];
  }
  // The packets of a write end where those of the next one begin.
  [[nodiscard]] HOST_DEVICE std::uint64_t end_of(std::uint64_t position) const {
    return position + 1 < room_.posted ? write_at(position + 1).begin : room_.window.all();
  }
  [[nodiscard]] HOST_DEVICE static std::uint32_t least(std::uint64_t a, std::uint64_t b) {
    auto const most = a < b ? a : b;
    return static_cast<std::uint32_t>(most < lanes ? most : lanes);
  }

  HOST_DEVICE void take_answers(std::uint64_t now) const {
    by_.one([&] {
      auto const first = room_.answers_taken;
      auto const count = least(number_of_other(room_.answers_read) - first, lanes);
      room_.now = now;
      for (std::uint32_t n = 0; n < count; ++n)
        room_.window.take(fields_of_answer(room_.answers[(first + n) % requester_room::most_read]), now);
      room_.window.tick(now);
      tell_other(room_.answers_taken, first + count);
      room_.has_news = count != 0 ? 1 : 0;
    });
  }

  // Writes that are acknowledged as a whole have ended; the next one may be one that failed before.
  HOST_DEVICE void end_writes() const {
    auto const unacked = room_.window.first_unacked();
    auto ended = room_.ended;
    for (std::uint32_t n = lanes; n == lanes && room_.acknowledged != unacked; ended += n) {
      n = static_cast<std::uint32_t>(cuda::std::countr_one(by_.ballot([&](std::uint32_t lane) {
        auto const position = ended + lane;
        return position < room_.posted && write_at(position).status == work_status::done && end_of(position) <= unacked;
      })));
    }
    by_.one([&] {
      room_.ended = ended;
      room_.acknowledged = unacked;
      if (room_.blocked_at <= unacked && ended < room_.posted) room_.window.fail(write_at(ended).status);
      if (room_.window.took_back()) room_.sending = ended;
    });
  }

  // CQEs of writes that have ended and asked for one; after an error, of all that were posted.
  HOST_DEVICE void write_completions() const {
    while (room_.told < room_.ended) {
      auto const count = least(room_.ended - room_.told, lanes);
      auto const wanting = by_.ballot(
          [&](std::uint32_t lane) { return lane < count && write_at(room_.told + lane).wants_completion != 0; });
      by_.one([&] {
        room_.queue.counters().writes += count;
        for (auto left = wanting; left != 0; left &= left - 1)
          complete(room_.told + static_cast<std::uint32_t>(cuda::std::countr_zero(left)), work_status::done);
        room_.told += count;
      });
    }
    if (!room_.window.is_in_error()) return;
    by_.one([&] {
      for (; room_.told < room_.posted; room_.has_told_error = 1)
        complete(room_.told++, room_.has_told_error != 0 ? work_status::flushed : room_.window.error());
      room_.ended = room_.told;
    });
  }
  // A CQE without room ends the connection.
  HOST_DEVICE void complete(std::uint64_t position, work_status status) const {
    if (room_.lost_completions != 0 || room_.queue.complete(position, status)) return;
    room_.lost_completions = 1;
    room_.window.fail(work_status::local_operation_error);
  }

  HOST_DEVICE void read_queue() const {
    by_.one([&] { look_at_queue(); });
    if (room_.count == 0) return;
    by_.each([&](std::uint32_t lane) {
      if (lane < room_.count) place(lane, room_.posted + lane);
    });
    by_.each([&](std::uint32_t lane) {
      auto begin = room_.window.all();
      for (std::uint32_t n = 0; n < lane; ++n) begin += room_.packets[n];
      if (lane < room_.count) write_at(room_.posted + lane).begin = begin;
    });
    by_.one([&] {
      for (std::uint32_t n = 0; n < room_.count; ++n) {
        if (room_.packets[n] == 0 && room_.blocked_at == requester_room::no_packet)
          room_.blocked_at = room_.window.all();
        room_.window.add(room_.packets[n]);
      }
      room_.posted += room_.count;
      room_.queue.advance(room_.count);
    });
  }
  // Sets the number of WQEs to read.
  HOST_DEVICE void look_at_queue() const {
    room_.count = 0;
    auto const held = room_.posted - room_.told;
    if (held >= to_.most_writes) return;
    auto& queue = room_.queue;
    if (!queue.has_entry() && queue.look() == queue_consumer::news::overrun && !room_.window.is_in_error()) {
      ++queue.counters().queue_overruns;
      auto& write = write_at(queue.skip());
      write = {};
      write.begin = room_.window.all();
      write.status = work_status::local_operation_error;
      if (room_.blocked_at == requester_room::no_packet) room_.blocked_at = write.begin;
      ++room_.posted;
      return;
    }
    if (room_.window.wants_packets()) room_.count = least(queue.entries(), to_.most_writes - held);
  }
  // Reads and checks the WQE at a position.
  HOST_DEVICE void place(std::uint32_t lane, std::uint64_t position) const {
    auto const& entry = room_.queue.entry(position);
    auto const copy = entry;  // the poster could change it after the check
    auto const checked = check_local(copy, position, room_.queue.queue_number(), regions_);
    bool const is_done = checked.status == work_status::done;
    write_at(position) = {.begin = 0,
                          .from = checked.is_inline ? reinterpret_cast<std::uint64_t>(&entry) + inline_at
                                                    : reinterpret_cast<std::uint64_t>(checked.from),
                          .address = reinterpret_cast<std::uint64_t>(checked.to),
                          .rkey = entry_view{copy}.rkey(),
                          .bytes = checked.bytes,
                          .status = checked.status,
                          .wants_completion = static_cast<std::uint8_t>(checked.wants_completion)};
    room_.packets[lane] = is_done ? static_cast<std::uint32_t>(packets_of(checked.bytes, to_.mtu_shift)) : 0;
  }

  // The packets that may be sent end before the first write that failed before.
  [[nodiscard]] HOST_DEVICE std::uint64_t end_of_sendable() const {
    return room_.blocked_at < room_.window.all() ? room_.blocked_at : room_.window.all();
  }

  HOST_DEVICE void plan_frames(round_of_frames& into) const {
    by_.one([&] {
      auto const blanks = number_of_other(room_.blanks_read) - room_.blanks_taken;
      room_.count = least(room_.window.sendable(room_.now, end_of_sendable()), least(blanks, lanes));
    });
    if (room_.count == 0) return;
    by_.each([&](std::uint32_t lane) {
      auto const write = room_.sending + lane;
      room_.words[lane] = write < room_.posted ? write_at(write).begin : requester_room::no_packet;
    });
    auto const awaited = by_.ballot([&](std::uint32_t lane) { return lane < room_.count && plan_frame(lane, into); });
    auto const bytes =
        by_.sum([&](std::uint32_t lane) { return lane < room_.count ? std::uint32_t{into.orders[lane].bytes} : 0U; });
    by_.one([&] {
      room_.asking = room_.window.send(room_.now, end_of_sendable(), room_.count, awaited);
      room_.queue.counters().bytes += bytes;
      room_.sending += room_.last_write + room_.last_ends;
      tell_other(room_.blanks_taken, room_.blanks_taken + room_.count);
    });
    by_.each([&](std::uint32_t lane) {
      if ((room_.asking >> lane & 1U) != 0) into.orders[lane].asks_and_psn |= asks_flag;
    });
  }
  // Returns whether the frame ends a write whose end is awaited.
  HOST_DEVICE bool plan_frame(std::uint32_t lane, round_of_frames& into) const {
    auto const packet = room_.window.next() + lane;
    std::uint32_t n = 0;  // the last of the writes that begins before it: each has at least one packet
    for (std::uint32_t step = lanes / 2; step != 0; step /= 2)
      if (room_.words[n + step] <= packet) n += step;
    auto const write = write_at(room_.sending + n);
    auto const index = packet - write.begin, packets = packets_of(write.bytes, to_.mtu_shift);
    auto const offset = index << to_.mtu_shift;
    auto const left = write.bytes - offset, mtu = std::uint64_t{1} << to_.mtu_shift;
    auto const bytes = static_cast<std::uint32_t>(left < mtu ? left : mtu);
    auto const code = code_of(index, packets);
    auto const blank = room_.blanks_taken + lane, kept = blank % requester_room::most_read;
    into.orders[lane] = {.at = address_of_blank(room_.blanks[kept]),
                         .payload = write.from + offset,
                         .address = write.address,
                         .rkey = write.rkey,
                         .length = write.bytes,
                         .code_and_queue = std::uint32_t{static_cast<std::uint8_t>(code)} << 24 | to_.remote_number,
                         .asks_and_psn = room_.window.psn_of(packet),
                         .bytes = static_cast<std::uint16_t>(bytes),
                         .port = to_.path.port,
                         .source_mac = to_.path.source_mac,
                         .destination_mac = to_.path.destination_mac,
                         .source = to_.path.source,
                         .destination = to_.path.destination};
    into.rest_at[lane] = has_rests() ? address_of_blank(room_.rests[kept]) : 0;
    box_.lengths[blank % mailbox::most_blanks] = static_cast<std::uint16_t>(frame_bytes(code, bytes));
    bool const ends = index + 1 == packets;
    if (lane + 1 == room_.count) {
      room_.last_write = n;
      room_.last_ends = ends ? 1 : 0;
    }
    return ends && write.wants_completion != 0;
  }

  Lanes const& by_;
  lane_connection const& to_;
  region_table_ref regions_;
  mailbox& box_;
  placed_write* writes_;
  requester_room& room_;
};

}  // namespace packetwarp::rdma::roce

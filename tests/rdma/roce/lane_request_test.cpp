// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The 32 lanes of a warp read frames as read_frame() does.
#include "rdma/roce/lane_request.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "looped_requester.h"
#include "rdma/roce/inbox.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr frame_path request_path{.source_mac = wire::mac_address::from_number(0x0200'0000'0011),
                                  .destination_mac = wire::mac_address::from_number(0x0200'0000'0022),
                                  .source = {0x0a09'0001},
                                  .destination = {0x0a09'0002}};

class requests_by_lanes : public testing::Test {
 protected:
  requests_by_lanes() : tables{test::make_tables()} {}

  // A frame that begins `ahead` bytes after a multiple of 8.
  std::span<std::byte> make(std::uint32_t ahead, std::uint32_t bytes) {
    for (auto& byte : memory) byte = static_cast<std::byte>(random());
    std::vector<std::byte> payload(bytes);
    for (auto& byte : payload) byte = static_cast<std::byte>(random());
    packet_fields const fields{.code = bytes % 2 == 0 ? opcode::write_only : opcode::write_middle, .psn = bytes};
    write_frame(memory.data() + 8 + ahead, request_path, fields, payload.data(), bytes);
    return std::span{memory}.subspan(8 + ahead, frame_bytes(fields.code, bytes));
  }
  // Whether lanes find the ICRC right; all bytes of the frame, and none beyond the room, are written.
  bool is_right(std::span<std::byte const> frame) { return is_right(frame, {}, frame); }
  // first, rest: the frame's pieces.
  bool is_right(std::span<std::byte const> first, std::span<std::byte const> rest, std::span<std::byte const> frame) {
    alignas(16) std::array<std::byte, frame_room + lane_request::room_beyond + 16> room;
    room.fill(std::byte{0xee});
    lane_request const request{reinterpret_cast<std::uint64_t>(first.data()), static_cast<std::uint32_t>(first.size()),
                               static_cast<std::uint32_t>(rest.size()), room.data()};
    for (std::uint32_t lane = 0; lane < lanes; ++lane) request.copy(lane);
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      request.copy_rest(lane, reinterpret_cast<std::uint64_t>(rest.data()));
    std::uint32_t parts = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) parts ^= request.icrc_part(lane, *tables, lane_power(lane));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(request.frame()) % 8, 2U);
    EXPECT_EQ(std::memcmp(request.frame(), frame.data(), frame.size()), 0);
    for (auto i = frame_room_of(frame.size() - 74 + 4) + lane_request::room_beyond; i < room.size(); ++i)
      EXPECT_EQ(room[i], std::byte{0xee}) << i;
    return request.is_right(parts);
  }

  std::shared_ptr<lane_tables const> tables;
  alignas(16) std::array<std::byte, 4352> memory{};
  std::mt19937_64 random{3};
};

TEST_F(requests_by_lanes, are_read_wherever_they_begin) {
  for (std::uint32_t ahead = 0; ahead < 8; ++ahead)
    for (std::uint32_t const bytes : {1U, 2U, 3U, 4U, 8U, 63U, 64U, 65U, 255U, 256U, 1023U, 1024U, 4095U, 4096U})
      EXPECT_TRUE(is_right(make(ahead, bytes))) << ahead << " " << bytes;
}
// The second piece lies anywhere, and the first one ends anywhere after the headers.
TEST_F(requests_by_lanes, in_two_pieces_are_read_wherever_these_begin) {
  constexpr std::uint32_t headers = transport_at + bth_bytes + reth_bytes;
  std::vector<std::byte> elsewhere(8192);
  for (std::uint32_t const first : {headers, headers + 1, headers + 3, std::uint32_t{first_piece_bytes}, 120U, 1000U})
    for (std::uint32_t ahead = 0; ahead < 8; ++ahead)
      for (std::uint32_t const bytes : {1U, 8U, 64U, 65U, 255U, 1024U, 4095U, 4096U}) {
        auto const frame = make(ahead, bytes);
        auto const here = frame.first(std::min<std::size_t>(first, frame.size())), behind = frame.subspan(here.size());
        auto const at = (16 - reinterpret_cast<std::uintptr_t>(elsewhere.data()) % 16) % 16 + ahead * 5 % 8;
        std::copy(behind.begin(), behind.end(), elsewhere.begin() + static_cast<std::ptrdiff_t>(at));
        auto const rest = std::span{elsewhere}.subspan(at, behind.size());
        EXPECT_TRUE(is_right(here, rest, frame)) << first << " " << ahead << " " << bytes;
        if (rest.empty()) continue;
        rest[rest.size() / 2] ^= std::byte{4};
        std::vector<std::byte> changed(frame.begin(), frame.end());
        changed[here.size() + rest.size() / 2] ^= std::byte{4};
        EXPECT_FALSE(is_right(here, rest, changed)) << first << " " << ahead << " " << bytes;
      }
}
TEST_F(requests_by_lanes, are_wrong_where_read_frame_says_so) {
  for (int n = 0; n < 3000; ++n) {
    auto const frame = make(static_cast<std::uint32_t>(random() % 8), static_cast<std::uint32_t>(random() % 300));
    // After the lengths, which a CPU has found right.
    auto const at = ethernet_bytes + 28 + random() % (frame.size() - ethernet_bytes - 28);
    frame[at] ^= std::byte{1} << random() % 8;
    auto const found = read_headers(frame.data(), frame.size());
    if (found.frame.result != frame_result::ok) continue;
    EXPECT_EQ(is_right(frame), read_frame(frame.data(), frame.size()).result == frame_result::ok) << at;
  }
}

TEST(inbox, gives_each_frame_and_answer_once_over_laps_of_its_rings) {
  inbox box{};
  inbox_end end{box};
  std::uint64_t read = 0, answers = 0, said = 0;
  std::array<std::byte, 1> const frame{};
  for (int round = 0; round < 2000; ++round) {
    std::uint32_t given = 0;
    for (; end.room() != 0 && given < 100; ++given) end.give(std::span{frame}.first(given % 2));
    // The GPU's side: all that is there, with an answer of every third round.
    while (is_frame(box.frames[read % inbox::most_frames], read)) {
      EXPECT_EQ(address_of_frame(box.frames[read % inbox::most_frames]), reinterpret_cast<std::uint64_t>(frame.data()));
      EXPECT_EQ(bytes_of_frame(box.frames[read % inbox::most_frames]), read % 100 % 2);
      ++read;
    }
    responder_verdict const verdict{.answer = round % 2 == 0 ? answer_kind::negative : answer_kind::acknowledge,
                                    .syndrome = static_cast<std::uint8_t>(round),
                                    .psn = static_cast<std::uint32_t>(round * 7919) & psn_mask,
                                    .message_number = static_cast<std::uint32_t>(round * 104729) & psn_mask};
    if (round % 3 == 0) box.answers[answers++ % inbox::most_frames] = packed_verdict(verdict);
    box.told = answers << 32 | (read & 0xffff'ffff);
    EXPECT_EQ(end.collect([&](responder_verdict const& got) {
      ++said;
      EXPECT_EQ(got.answer, verdict.answer);
      EXPECT_EQ(got.syndrome, verdict.syndrome);
      EXPECT_EQ(got.psn, verdict.psn);
      EXPECT_EQ(got.message_number, verdict.message_number);
    }),
              given);
  }
  EXPECT_EQ(said, answers);
  EXPECT_EQ(read, 2000U * 100);
}

// A peer that floods with acknowledgements: they are dropped and counted, the ring stays as it is.
TEST(mailbox, drops_answers_beyond_its_room_by_name_and_goes_on) {
  mailbox box{};
  mailbox_end end{box};
  for (std::uint32_t n = 0; n < mailbox::most_answers + 1000; ++n) end.take({.psn = n, .syndrome = acknowledged});
  EXPECT_EQ(end.dropped(), 1000U);
  for (std::uint64_t n = 0; n < mailbox::most_answers; ++n) {
    ASSERT_TRUE(is_answer(box.answers[n], n));
    EXPECT_EQ(fields_of_answer(box.answers[n]).psn, n);
  }
  EXPECT_FALSE(is_answer(box.answers[0], mailbox::most_answers));
  box.told = told_word(0, 10);
  for (std::uint32_t n = 0; n < 11; ++n) end.take({.psn = n, .syndrome = acknowledged});
  EXPECT_EQ(end.dropped(), 1001U);
}

// The packets of a round are sent as one after another.
TEST(send_window, sends_many_packets_as_it_sends_one_at_a_time) {
  std::mt19937_64 random{5};
  reliability const how{.window = 48, .ask_every = 7, .timeout_ns = 1000};
  send_window many{how, 0xff'fff0}, single{how, 0xff'fff0};
  std::uint64_t now = 0, asked = 0;
  for (int round = 0; round < 20'000; ++round) {
    now += random() % 300;
    auto const packets = random() % 40;
    many.add(packets);
    single.add(packets);
    auto const end = many.all() - std::min(many.all(), random() % 3);
    auto const count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>({many.sendable(now, end), 32, random() % 40}));
    auto const awaited = static_cast<std::uint32_t>(random() & random() & random());
    auto const asking = count == 0 ? 0 : many.send(now, end, count, awaited);
    for (std::uint32_t n = 0; n < count; ++n) {
      bool const asks = single.send(now, end, (awaited >> n & 1U) != 0);
      ASSERT_EQ(asks, (asking >> n & 1U) != 0) << round << " " << n;
      asked += asks ? 1 : 0;
    }
    packet_fields answer{.code = opcode::acknowledge, .psn = many.psn_of(many.first_unacked() + random() % 20)};
    answer.syndrome = random() % 8 == 0 ? nak_sequence : acknowledged;
    for (auto* const one : {&many, &single}) {
      one->take(answer, now);
      one->tick(now);
    }
    ASSERT_EQ(many.took_back(), single.took_back());
    ASSERT_EQ(many.next(), single.next());
    ASSERT_EQ(many.first_unacked(), single.first_unacked());
    ASSERT_EQ(many.counters().sent_again, single.counters().sent_again);
    ASSERT_EQ(many.counters().packets, single.counters().packets);
    ASSERT_EQ(many.is_in_error(), single.is_in_error());
    if (many.is_in_error()) many = single = send_window{how, static_cast<std::uint32_t>(random())};
  }
  EXPECT_GT(asked, 1000U);
}

}  // namespace
}  // namespace packetwarp::rdma::roce

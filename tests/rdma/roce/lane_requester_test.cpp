// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The reader of a requester's mailbox and its planner, which are two warps on a GPU: the reader is ahead.
#include "rdma/roce/lane_requester.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "looped_requester.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::uint32_t number = 0x11, writes = 200, bytes = 64;
constexpr std::uint64_t kept = requester_room::most_read;

class reader_ahead : public testing::TestWithParam<frame_pieces> {
 protected:
  reader_ahead() : source(writes * bytes), pair{{.size = 256, .number = number}} {
    memory_place const local{reinterpret_cast<std::uint64_t>(source.data()),
                             regions.add(source.data(), source.size(), access::local_read)};
    requester = std::make_unique<test::looped_requester>(
        connection_settings{.local_number = number,
                            .remote_number = 0x22,
                            .path = {.source = {1}, .destination = {2}},
                            .how = {.mtu = 256, .window = 100, .timeout_ns = 1'000'000}},
        pair.parts(), regions.ref(), test::make_tables(), 128, GetParam());
    auto const slots = pair.ref().reserve(single_thread{}, writes);
    for (std::uint32_t i = 0; i < slots.count; ++i)
      pair.ref().post_write(slots, i, local + i * bytes, {0x1000 + i * bytes, 1}, bytes);
    pair.ref().commit(single_thread{}, slots);
  }
  // Serves a round, acknowledges its frames if asked to, and notes their numbers.
  void serve(bool acknowledges) {
    requester->serve(now += 1000, [&](std::span<std::byte const> frame) {
      auto const found = read_frame(frame.data(), frame.size());
      ASSERT_EQ(found.result, frame_result::ok);
      EXPECT_TRUE(seen.insert(found.fields.psn).second) << found.fields.psn;
      EXPECT_EQ(found.fields.address, 0x1000 + std::uint64_t{found.fields.psn} * bytes);
      if (acknowledges) requester->end.take({.psn = found.fields.psn, .syndrome = acknowledged});
    });
  }

  std::vector<std::byte> source;
  region_table regions;
  queue_pair pair;
  std::unique_ptr<test::looped_requester> requester;
  std::uint64_t now{1};
  std::set<std::uint32_t> seen;
};

TEST_P(reader_ahead, keeps_slots_that_the_plan_has_not_used_and_loses_none) {
  auto const& room = requester->room();
  requester->read_ahead(10);
  EXPECT_EQ(room.blanks_read, kept);
  // A round takes 32 of them, and the reader reads on by as many.
  serve(false);
  EXPECT_EQ(seen.size(), 32U);
  EXPECT_EQ(room.blanks_taken, 32U);
  requester->read_ahead(10);
  EXPECT_EQ(room.blanks_read, 32 + kept);
  // Answers, of which more come than are kept.
  for (std::uint32_t n = 0; n < 32; ++n) requester->end.take({.psn = n, .syndrome = acknowledged});
  for (std::uint32_t n = 0; n < 90; ++n) requester->end.take({.psn = 31, .syndrome = acknowledged});
  requester->read_ahead(10);
  EXPECT_EQ(room.answers_read, kept);
  while (!requester->is_idle() && now < 1'000'000'000) serve(true);
  EXPECT_TRUE(requester->is_idle());
  EXPECT_EQ(seen.size(), writes);
  EXPECT_EQ(*seen.rbegin(), writes - 1);
  EXPECT_EQ(room.answers_taken, 122 + writes - 32);
  EXPECT_EQ(requester->sent().sent_again, 0U);
  EXPECT_EQ(requester->end.dropped(), 0U);
}
INSTANTIATE_TEST_SUITE_P(frames, reader_ahead, testing::Values(frame_pieces::one, frame_pieces::two),
                         [](auto const& one) { return one.param == frame_pieces::one ? "in_one_piece" : "in_two"; });

}  // namespace
}  // namespace packetwarp::rdma::roce

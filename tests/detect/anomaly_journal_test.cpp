// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/detect/anomaly_journal.h"

#include <gtest/gtest.h>

#include <vector>

namespace packetwarp::test {
namespace {

using namespace detect_parts;
constexpr std::uint64_t window = std::uint64_t{1} << window_bits;  // epochs
constexpr std::uint64_t flow = 0xabcd'ef01'2345'6789;

[[nodiscard]] std::vector<std::uint64_t> flows_in(anomaly_journal& journal, std::uint32_t most = 1U << 20) {
  std::vector<std::uint64_t> all;
  (void)journal.read(0, most, [&](anomaly const& seen) { all.push_back(seen.flow); });
  return all;
}
void write(anomaly_journal& journal, std::uint64_t first, std::uint64_t count) {
  for (anomaly made{}; made.flow < count; ++made.flow) {
    auto told = made;
    told.flow += first;
    journal.ref(0).ring.write(told);
  }
}

// The n-th flow whose marks are those of `flow`.
[[nodiscard]] std::uint64_t beside(std::uint64_t n) { return flow + (n << flow_marks::digits); }
[[nodiscard]] std::uint64_t packets_of(flow_marks& marks, std::uint64_t of, epoch_number epoch) {
  return count_packet(marks, of, epoch).packets;
}

TEST(flow_marks, give_a_flow_a_record_per_window_with_the_packets_since_the_one_before) {
  flow_marks marks{};
  EXPECT_EQ(packets_of(marks, flow, 5), 1U);
  for (int n = 0; n < 3; ++n) EXPECT_EQ(packets_of(marks, flow, 6), 0U);
  EXPECT_EQ(packets_of(marks, flow, 6 + window), 4U);
  EXPECT_EQ(packets_of(marks, flow, 5), 0U) << "a packet of the window before comes late";
  EXPECT_EQ(packets_of(marks, flow, 7 + window), 0U);
  EXPECT_EQ(packets_of(marks, flow, 7 + 9 * window), 3U);
}

TEST(flow_marks, keep_flows_that_take_turns_with_a_record_per_window_each) {
  flow_marks marks{};
  for (epoch_number turn = 0; turn < 3; ++turn) {
    for (int n = 0; n < 10; ++n) {
      for (std::uint64_t one = 0; one < flow_marks::places; ++one) {
        auto const wanted = n != 0 ? 0U : turn == 0 ? 1U : 10U;
        EXPECT_EQ(packets_of(marks, beside(one), 5 + turn * window), wanted) << "flow " << one << " in turn " << turn;
      }
    }
  }
}

TEST(flow_marks, have_no_place_for_another_flow_while_each_flow_has_a_record_in_the_window) {
  flow_marks marks{};
  for (std::uint64_t one = 0; one < flow_marks::places; ++one) (void)count_packet(marks, beside(one), 5 + window);
  for (epoch_number const epoch : {5 + window, epoch_number{5}}) {
    auto const counted = count_packet(marks, beside(99), epoch);
    EXPECT_EQ(counted.place, flow_marks::none) << "epoch " << epoch;
    EXPECT_EQ(counted.packets, 1U);
    EXPECT_EQ(counted.rest, 0U);
  }
  for (std::uint64_t one = 0; one < flow_marks::places; ++one) {
    EXPECT_EQ(packets_of(marks, beside(one), 5 + window), 0U);
  }
}

TEST(flow_marks, give_the_place_with_the_oldest_record_and_the_rest_of_its_packets) {
  flow_marks marks{};
  for (std::uint64_t one = 0; one < flow_marks::places; ++one) {
    // The fourth flow's record is the oldest one.
    auto const turn = (one + flow_marks::places - 3) % flow_marks::places;
    for (int n = 0; n < 5; ++n) (void)count_packet(marks, beside(one), 5 + turn * window);
  }
  auto const counted = count_packet(marks, beside(99), 5 + 20 * window);
  EXPECT_EQ(counted.packets, 1U);
  EXPECT_EQ(counted.rest_of, beside(3));
  EXPECT_EQ(counted.rest, 4U);
  EXPECT_EQ(count_packet(marks, beside(4), 5 + 20 * window).packets, 5U) << "the others have their places";
  EXPECT_EQ(count_packet(marks, beside(3), 5 + 20 * window).rest_of, beside(5)) << "the next oldest";
}

TEST(window_places, are_as_many_as_there_is_room_for_in_each_window) {
  std::uint64_t word = 0;
  auto const taken = [&](epoch_number epoch) {
    unsigned count = 0;
    for (int n = 0; n < 10; ++n) count += take_place(word, epoch, 3) ? 1U : 0U;
    return count;
  };
  EXPECT_EQ(taken(1), 3U);
  EXPECT_EQ(taken(window - 1), 0U);
  EXPECT_EQ(taken(window), 3U);
  EXPECT_EQ(taken(window - 1), 0U) << "late packets do not begin the old window again";
  EXPECT_EQ(taken(5 * window), 3U);
  EXPECT_FALSE(take_place(word, 9 * window, 0));
}

TEST(anomaly_journal, gives_records_in_the_order_in_which_they_came_and_each_once) {
  anomaly_journal journal{2, {}};
  write(journal, 1, 3);
  EXPECT_EQ(flows_in(journal, 2), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(flows_in(journal), (std::vector<std::uint64_t>{3}));
  EXPECT_TRUE(flows_in(journal).empty());
  EXPECT_EQ(journal.read(1, 10, [](anomaly const&) {}), 0U) << "the other pipeline has its own";
}

TEST(anomaly_journal, loses_new_records_when_it_is_full_counts_them_and_goes_on) {
  anomaly_journal journal{1, {}};
  write(journal, 0, anomaly_journal::records + 7);
  EXPECT_EQ(journal.unrecorded().lost, 7U);
  auto const first = flows_in(journal);
  ASSERT_EQ(first.size(), anomaly_journal::records);
  EXPECT_EQ(first.back(), anomaly_journal::records - 1);
  for (std::uint64_t round = 1; round < 300; ++round) {
    write(journal, round * 1000, 1000);
    auto const some = flows_in(journal);
    ASSERT_EQ(some.size(), 1000U);
    ASSERT_EQ(some.back(), round * 1000 + 999);
  }
  EXPECT_EQ(journal.unrecorded().lost, 7U);
}

}  // namespace
}  // namespace packetwarp::test

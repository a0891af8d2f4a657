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

TEST(flow_mark, has_a_record_per_window_with_the_packets_since_the_one_before) {
  flow_mark mark{};
  EXPECT_EQ(count_packet(mark, flow, 5), 1U);
  for (int n = 0; n < 3; ++n) EXPECT_EQ(count_packet(mark, flow, 6), 0U);
  EXPECT_EQ(count_packet(mark, flow, 6 + window), 4U);
  EXPECT_EQ(count_packet(mark, flow, 5), 0U) << "a packet of the window before comes late";
  EXPECT_EQ(count_packet(mark, flow, 7 + window), 0U);
  EXPECT_EQ(count_packet(mark, flow, 7 + 9 * window), 3U);
}

TEST(flow_mark, goes_to_another_flow_without_its_packets) {
  flow_mark mark{};
  EXPECT_EQ(count_packet(mark, flow, 5), 1U);
  EXPECT_EQ(count_packet(mark, flow, 5), 0U);
  EXPECT_EQ(count_packet(mark, ~flow, 5), 1U);
  EXPECT_EQ(count_packet(mark, flow, 5), 1U);
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

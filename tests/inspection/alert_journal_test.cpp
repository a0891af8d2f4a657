// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/record/alert_journal.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace packetwarp::test {
namespace {

using inspection_parts::alert;

void write(alert_journal& journal, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t n = 0; n < count; ++n) {
    alert one{};
    one.rule = first + n;
    journal.ref(0).write(one);
  }
}
[[nodiscard]] std::vector<std::uint32_t> rules_in(alert_journal& journal, std::uint32_t most = alert_journal::records) {
  std::vector<std::uint32_t> all;
  (void)journal.read(0, most, [&](alert const& seen) { all.push_back(seen.rule); });
  return all;
}

TEST(alert_journal, gives_records_once_and_in_order) {
  alert_journal journal{2, table_place{}};
  write(journal, 1, 3);
  EXPECT_EQ(rules_in(journal, 2), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(rules_in(journal), std::vector<std::uint32_t>{3});
  EXPECT_EQ(journal.read(1, 9, [](alert const&) {}), 0U);
}

TEST(alert_journal, counts_what_finds_no_room_and_goes_on_afterwards) {
  alert_journal journal{1, table_place{}};
  write(journal, 0, alert_journal::records + 10);
  EXPECT_EQ(journal.lost(), 10U);
  EXPECT_EQ(rules_in(journal).size(), alert_journal::records);
  write(journal, 77, 1);
  EXPECT_EQ(rules_in(journal), std::vector<std::uint32_t>{77});
  EXPECT_EQ(journal.lost(), 10U);
}

// A GPU that is lost between the begin of a record and its end leaves a gap.
TEST(alert_journal, passes_over_what_a_lost_gpu_has_not_ended) {
  alert_journal journal{2, table_place{}};
  auto const ring = journal.ref(0);
  write(journal, 1, 1);
  auto const first = ring.claim();
  (void)ring.claim();
  write(journal, 2, 2);
  (void)ring.claim();
  EXPECT_EQ(rules_in(journal), std::vector<std::uint32_t>{1});
  EXPECT_EQ(rules_in(journal), std::vector<std::uint32_t>{}) << "its GPU may end them yet";
  journal.pass_unfinished();
  EXPECT_EQ(rules_in(journal, 1), std::vector<std::uint32_t>{2});
  EXPECT_EQ(journal.lost(), 2U);
  ring.publish(first);
  EXPECT_EQ(rules_in(journal), std::vector<std::uint32_t>{3});
  EXPECT_EQ(rules_in(journal), std::vector<std::uint32_t>{});
  EXPECT_EQ(journal.lost(), 2U);
}

TEST(alert_journal, passes_over_nothing_if_a_lost_gpu_has_ended_all) {
  alert_journal journal{1, table_place{}};
  journal.pass_unfinished();
  EXPECT_EQ(rules_in(journal), std::vector<std::uint32_t>{});
  write(journal, 5, alert_journal::records);
  EXPECT_EQ(rules_in(journal, 7).size(), 7U);
  journal.pass_unfinished();
  EXPECT_EQ(rules_in(journal).size(), alert_journal::records - 7);
  EXPECT_EQ(journal.lost(), 0U);
}

TEST(alert_journal, loses_none_uncounted_when_threads_write_and_one_reads) {
  constexpr std::uint32_t each = 20'000;
  alert_journal journal{1, table_place{}};
  std::vector<std::thread> writers;
  for (std::uint32_t n = 0; n < 3; ++n) writers.emplace_back([&journal, n] { write(journal, n * each, each); });
  std::size_t read = 0;
  for (auto& one : writers) {
    read += rules_in(journal).size();
    one.join();
  }
  read += rules_in(journal).size();
  EXPECT_EQ(read + journal.lost(), 3 * each);
}

}  // namespace
}  // namespace packetwarp::test

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature/search_together.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>

#include "feature/traffic.h"

// The steps that a thread of a GPU takes, taken by a CPU: rows, records and counts are those of one search after the
// other. tests/feature/observe_device_test.cu has the threads.
namespace packetwarp::test::features {
namespace {

[[nodiscard]] feature::packed_row see_together(feature::packet_facts const& facts, std::uint64_t epoch,
                                               feature::state_ref const& state) {
  feature::packed_row row{};
  feature::detail::write_packet(facts, row);
  if (facts.ip_version == 0) return row;
  auto const keys = feature::keys_of(facts, state.key);
  feature::detail::observe(facts, keys, epoch, state, feature::find_together(keys, epoch, state), row);
  return row;
}

template <class Record>
void expect_equal(feature::table_ref<Record> const& one, feature::table_ref<Record> const& other) {
  auto const places = (one.bucket_mask + 1) * one.bucket_places;
  EXPECT_TRUE(std::equal(one.keys, one.keys + places, other.keys));
  EXPECT_EQ(std::memcmp(one.records, other.records, places * sizeof(Record)), 0);
  EXPECT_EQ(one.counts->inserted, other.counts->inserted);
  EXPECT_EQ(one.counts->replaced, other.counts->replaced);
  EXPECT_EQ(one.counts->untracked, other.counts->untracked);
}

void compare(feature::state_sizes sizes, std::uint32_t packets_per_epoch) {
  pipeline plain{sizes};
  feature::feature_state const together{sizes, key};
  for (std::uint32_t n = 0; n < 6'000; ++n) {
    auto const epoch = 1 + n / packets_per_epoch + (n > 3'000 ? 300 : 0);  // a pause of all
    auto const wanted = plain.see(packet_number(n), epoch);
    auto const made = see_together(packet_number(n), epoch, together.ref());
    ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), made.bytes())) << "packet " << n;
  }
  expect_equal(plain.ref().flows, together.ref().flows);
  expect_equal(plain.ref().hosts, together.ref().hosts);
}

TEST(feature_search_together, makes_the_rows_and_records_of_single_searches) {
  for (std::uint32_t const packets_per_epoch : {1U, 7U, 1000U}) compare({}, packets_per_epoch);
}

TEST(feature_search_together, does_so_in_a_table_of_flows_that_is_full) {
  for (std::uint32_t const packets_per_epoch : {7U, 40U}) {
    compare({.flows = 8, .hosts = 4096}, packets_per_epoch);
    compare({.flows = 64, .hosts = 4096}, packets_per_epoch);
  }
  pipeline full{{.flows = 64, .hosts = 4096}};
  for (std::uint32_t n = 0; n < 6'000; ++n) full.see(packet_number(n), 1 + n / 40);
  EXPECT_GT(full.ref().flows.counts->replaced, 0U) << "the traffic of these tests no longer fills a table";
  EXPECT_GT(full.ref().flows.counts->untracked, 0U);
}

// The order decides which host's record goes, and a packet's two hosts are found in another order here.
TEST(feature_search_together, gives_no_host_two_records_in_a_table_that_is_full) {
  feature::feature_state const state{{.flows = 4096, .hosts = 64}, key};
  for (std::uint32_t n = 0; n < 6'000; ++n) (void)see_together(packet_number(n), 1 + n / 40, state.ref());
  auto const& hosts = state.ref().hosts;
  std::set<std::uint64_t> const keys{hosts.keys, hosts.keys + 64};
  EXPECT_EQ(keys.size(), 64U);
  EXPECT_EQ(hosts.counts->inserted, 64U);
  EXPECT_GT(hosts.counts->replaced, 0U);
  EXPECT_GT(hosts.counts->untracked, 0U);
}

// Another thread is about to begin the epoch, or takes the record meanwhile: tests/feature/observe_device_test.cu.
TEST(feature_search_together, finds_one_record_for_a_packet_to_its_own_sender) {
  feature::feature_state const state{{}, key};
  auto const keys = feature::keys_of(udp_facts(5, 5, 1, 2), key);
  auto const found = feature::find_together(keys, 1, state.ref());
  EXPECT_EQ(found.source, found.destination);
  EXPECT_EQ(state.ref().hosts.counts->inserted, 1U);
  auto const later = feature::find_together(keys, 9, state.ref());
  EXPECT_EQ(later.source, found.source);
  EXPECT_EQ(later.destination, found.source);
  EXPECT_EQ(found.source->stamp, 18U);
}

}  // namespace
}  // namespace packetwarp::test::features

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature/state_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "feature/traffic.h"

namespace packetwarp::test::features {
namespace {

using enum feature::place;

// A table of eight places, which all keys share.
constexpr feature::state_sizes smallest{.flows = 8, .hosts = 4096};

class full_table : public ::testing::Test {
 protected:
  // Whether the flow has a record from now on.
  bool use(std::uint64_t flow, std::uint64_t epoch) { return feature::find_or_insert(table(), flow, epoch) != nullptr; }
  bool has(std::uint64_t flow) {
    for (unsigned place = 0; place < 8; ++place) {
      if (table().keys[place] == flow) return true;
    }
    return false;
  }
  feature::table_ref<feature::flow_record> const& table() { return pipeline_.ref().flows; }
  feature::table_counts const& counts() { return *table().counts; }

  pipeline pipeline_{smallest};
};

TEST_F(full_table, has_eight_places_for_a_key) {
  for (std::uint64_t flow = 1; flow <= 8; ++flow) EXPECT_TRUE(use(flow, 1));
  EXPECT_EQ(counts().inserted, 8u);
  EXPECT_FALSE(use(9, 1));
  for (std::uint64_t flow = 1; flow <= 8; ++flow) EXPECT_TRUE(use(flow, 2));
  EXPECT_EQ(counts().inserted, 8u);
  EXPECT_EQ(counts().replaced, 0u);
  EXPECT_EQ(counts().untracked, 1u);
}

TEST_F(full_table, replaces_no_record_of_the_last_three_epochs) {
  for (std::uint64_t flow = 1; flow <= 8; ++flow) use(flow, 10);
  EXPECT_FALSE(use(9, 11));
  EXPECT_FALSE(use(9, 12));
  EXPECT_EQ(counts().untracked, 2u);
  EXPECT_TRUE(use(9, 13));
  EXPECT_EQ(counts().replaced, 1u);
  EXPECT_FALSE(has(1));
}

TEST_F(full_table, replaces_the_record_that_was_idle_for_the_longest) {
  for (std::uint64_t flow = 1; flow <= 8; ++flow) use(flow, flow == 5 ? 9 : 10 + flow);
  use(1, 50);
  EXPECT_TRUE(use(100, 60));
  EXPECT_FALSE(has(5));
  EXPECT_TRUE(use(101, 60));
  EXPECT_FALSE(has(2));
  EXPECT_TRUE(has(1));
  EXPECT_EQ(counts().replaced, 2u);
}

TEST_F(full_table, a_new_record_has_nothing_of_the_one_before) {
  for (std::uint16_t port = 1; port <= 8; ++port) pipeline_.see(udp_facts(1, 2, port, 100), 1);
  auto const after = pipeline_.see(udp_facts(1, 2, 9, 100), 20);
  EXPECT_EQ(at(after, flow_packets), 0);
  EXPECT_EQ(counts().replaced, 1u);
  EXPECT_EQ(at(pipeline_.see(udp_facts(1, 2, 9, 100), 22), flow_packets), 1);
}

TEST_F(full_table, an_untracked_packet_has_zeroes_for_that_part_and_is_counted) {
  for (std::uint16_t port = 1; port <= 8; ++port) pipeline_.see(udp_facts(1, 2, port, 100), 1);
  pipeline_.see(udp_facts(1, 2, 9, 100), 2);
  auto const seen = pipeline_.see(udp_facts(1, 2, 9, 100), 3);
  EXPECT_EQ(counts().untracked, 2u);
  for (auto place = static_cast<int>(flow_packets); place <= static_cast<int>(flow_rate); ++place) {
    EXPECT_EQ(at(seen, static_cast<feature::place>(place)), 0) << place;
  }
  EXPECT_EQ(at(seen, source_packets), feature::level(8));
}

// A conversation with a packet every `gap` epochs, beside one-way flows that are new in each epoch.
class flooded_table : public full_table, public ::testing::WithParamInterface<std::pair<unsigned, std::uint64_t>> {};

TEST_P(flooded_table, keeps_a_two_way_flow) {
  auto const [flows, gap] = GetParam();
  auto const forth = udp_facts(1, 2, 1000, 53);
  pipeline_.see(forth, 1);
  pipeline_.see(udp_facts(2, 1, 53, 1000), 1);
  std::uint32_t forged = 100;
  for (std::uint64_t epoch = 2; epoch < 200; ++epoch) {
    for (unsigned i = 0; i < flows; ++i) pipeline_.see(udp_facts(forged++, 2, 1000, 53), epoch);
    if (epoch % gap == 0) {
      EXPECT_GT(at(pipeline_.see(forth, epoch), flow_packets), 0) << epoch;
    }
  }
  EXPECT_GE(counts().replaced, 150u);
  EXPECT_TRUE(has(feature::keys_of(forth, key).flow));
}
// In the last two floods no one-way flow gets older than three epochs.
INSTANTIATE_TEST_SUITE_P(floods, flooded_table,
                         ::testing::Values(std::pair{1U, std::uint64_t{70}}, std::pair{3U, std::uint64_t{30}},
                                           std::pair{50U, std::uint64_t{30}}));

TEST_F(full_table, an_idle_two_way_flow_goes_at_last) {
  pipeline_.see(udp_facts(1, 2, 1000, 53), 1);
  pipeline_.see(udp_facts(2, 1, 53, 1000), 1);
  auto const conversation = feature::keys_of(udp_facts(1, 2, 1000, 53), key).flow;
  for (std::uint32_t i = 0; i < 7; ++i) pipeline_.see(udp_facts(100 + i, 2, 1000, 53), 170 + i);
  // The oldest one-way flow has been idle for 10 epochs, the conversation for 179, a sixteenth of which is more.
  pipeline_.see(udp_facts(200, 2, 1000, 53), 180);
  EXPECT_FALSE(has(conversation));
}

TEST_F(full_table, an_idle_two_way_flow_stays_for_sixteen_times_as_long) {
  pipeline_.see(udp_facts(1, 2, 1000, 53), 1);
  pipeline_.see(udp_facts(2, 1, 53, 1000), 1);
  auto const conversation = feature::keys_of(udp_facts(1, 2, 1000, 53), key).flow;
  for (std::uint32_t i = 0; i < 7; ++i) pipeline_.see(udp_facts(100 + i, 2, 1000, 53), 168);
  pipeline_.see(udp_facts(200, 2, 1000, 53), 180);  // 12 against 179 / 16
  EXPECT_TRUE(has(conversation));
}

TEST(feature_hosts, that_answer_survive_a_flood_of_forged_hosts) {
  pipeline one{{.flows = 4096, .hosts = 8}};
  one.see(udp_facts(1, 2, 1000, 53), 1);
  one.see(udp_facts(2, 1, 53, 1000), 1);
  for (std::uint32_t i = 0; i < 80; ++i) one.see(udp_facts(100 + i, 2, 1000, 53), 2 + i);
  EXPECT_GT(one.ref().hosts.counts->replaced, 50u);
  EXPECT_GT(at(one.see(udp_facts(1, 2, 1000, 53), 82), source_got_packets), 0);
}

TEST(feature_state, lies_in_one_piece_of_memory_of_which_a_copy_is_the_state) {
  feature::state_layout const layout{{.flows = 100, .hosts = 9}};
  EXPECT_EQ(layout.bytes() % 64, 0u);
  EXPECT_GE(layout.bytes(), 128 * 200 + 16 * 392u);
  std::vector<std::uint64_t> first(layout.bytes() / 8 + 8);
  std::uint64_t spread = 0;
  auto const aligned = [](std::vector<std::uint64_t>& memory) {
    auto const begin = reinterpret_cast<std::uintptr_t>(memory.data());
    return reinterpret_cast<std::byte*>((begin + 63) / 64 * 64);
  };
  auto const state = layout.ref(aligned(first), key, &spread);
  EXPECT_EQ(state.flows.bucket_mask, 31u);
  EXPECT_EQ(state.hosts.bucket_mask, 3u);
  row seen{};
  for (std::uint16_t port = 1; port < 60; ++port) feature::observe(udp_facts(1, 2, port, 5), 1, state, seen.data());
  std::vector<std::uint64_t> second(first.size());
  std::memcpy(aligned(second), aligned(first), layout.bytes());
  row copied{};
  feature::observe(udp_facts(1, 2, 7, 5), 4, layout.ref(aligned(second), key, &spread), copied.data());
  feature::observe(udp_facts(1, 2, 7, 5), 4, state, seen.data());
  EXPECT_EQ(seen, copied);
  EXPECT_EQ(at(seen, source_packets), feature::level(59));
}

}  // namespace
}  // namespace packetwarp::test::features

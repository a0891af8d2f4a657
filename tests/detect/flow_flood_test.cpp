// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A flood of new flows from forged senders against the tables of flows and hosts, beside a stranger's conversation:
// its packets keep their rows and scores, the tables their bounds, and each forged packet is in one count.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "feature/traffic.h"
#include "model/evaluate.h"
#include "model/random_networks.h"

namespace packetwarp::test::features {
namespace {

constexpr std::uint32_t near_end = 1;
constexpr std::uint32_t far_end = 2;
constexpr std::uint32_t victim = 3;
constexpr std::uint32_t first_forged = 1'000;
constexpr std::uint64_t begin_of_flood = 20;
constexpr std::uint64_t epochs = 600;
constexpr feature::state_sizes sizes{.flows = 512, .hosts = 512};

struct flood {
  std::string name;
  unsigned per_epoch;  // new flows, each from a host of its own
  unsigned gap;        // epochs between two packets of the conversation
};

template <class Record>
[[nodiscard]] std::uint64_t records_in(feature::table_ref<Record> const& table) {
  std::uint64_t count = 0;
  for (std::uint64_t n = 0; n < (table.bucket_mask + 1) * table.bucket_places; ++n) count += table.keys[n] != 0 ? 1 : 0;
  return count;
}

// Tables and a model, and the packets of a stranger's conversation, which ask and are answered in turn.
class judged_pipeline {
 public:
  void converse(std::uint64_t epoch) {
    auto const forth = udp_facts(near_end, far_end, 40'000, 53, 80);
    auto const back = udp_facts(far_end, near_end, 53, 40'000, 200);
    rows_.push_back(seen_.see(rows_.size() % 2 == 0 ? forth : back, epoch));
  }
  void attack(std::uint32_t number, std::uint64_t epoch) {
    seen_.see(udp_facts(first_forged + number, victim, 40'000, 53), epoch);
  }
  [[nodiscard]] std::vector<row> const& rows() const { return rows_; }
  [[nodiscard]] std::vector<std::int32_t> scores() const {
    std::vector<std::int32_t> made(rows_.size());
    model::evaluate(network_.ref(), rows_.front().data(), rows_.size(), made.data());
    return made;
  }
  [[nodiscard]] feature::state_ref const& tables() const { return seen_.ref(); }

 private:
  pipeline seen_{sizes};
  model::integer_network network_{
      model::test::random_networks{5}.make_dense(std::array<std::uint32_t, 3>{model::row_bytes, 32, 1})};
  std::vector<row> rows_;
};

class flow_flood : public ::testing::TestWithParam<flood> {};

TEST_P(flow_flood, a_strangers_conversation_keeps_each_score_and_each_forged_packet_is_counted) {
  auto const [name, per_epoch, gap] = GetParam();
  judged_pipeline calm;
  judged_pipeline attacked;
  std::uint32_t forged = 0;
  for (std::uint64_t epoch = 1; epoch < epochs; ++epoch) {
    // The flood comes first in its epochs: it takes what is free.
    for (unsigned i = 0; epoch >= begin_of_flood && i < per_epoch; ++i) attacked.attack(forged++, epoch);
    if (epoch < begin_of_flood || epoch % gap == 0) {
      calm.converse(epoch);
      attacked.converse(epoch);
    }
    ASSERT_LE(records_in(attacked.tables().flows), sizes.flows);
    ASSERT_LE(records_in(attacked.tables().hosts), sizes.hosts);
  }
  EXPECT_EQ(attacked.rows(), calm.rows());
  EXPECT_EQ(attacked.scores(), calm.scores());
  EXPECT_GT(at(attacked.rows().back(), feature::place::flow_packets), 0) << "the conversation is known to the end";

  auto const& flows = *attacked.tables().flows.counts;
  auto const& hosts = *attacked.tables().hosts.counts;
  EXPECT_EQ(flows.inserted, records_in(attacked.tables().flows));
  EXPECT_EQ(hosts.inserted, records_in(attacked.tables().hosts));
  // The conversation's flow, and its hosts and the victim, are the only ones that are not forged.
  EXPECT_EQ(flows.inserted + flows.replaced + flows.untracked, forged + 1U);
  EXPECT_EQ(hosts.inserted + hosts.replaced + hosts.untracked, forged + 3U);
  EXPECT_GT(flows.replaced, 0U);
  EXPECT_GT(hosts.replaced, 0U);
}

TEST_P(flow_flood, ends_and_the_tables_serve_new_conversations_again) {
  judged_pipeline attacked;
  std::uint32_t forged = 0;
  for (std::uint64_t epoch = 1; epoch < epochs; ++epoch) {
    for (unsigned i = 0; i < GetParam().per_epoch; ++i) attacked.attack(forged++, epoch);
  }
  auto const untracked = attacked.tables().flows.counts->untracked;
  for (std::uint64_t epoch = epochs + 3; epoch < epochs + 20; ++epoch) attacked.converse(epoch);
  EXPECT_EQ(attacked.tables().flows.counts->untracked, untracked);
  EXPECT_GT(at(attacked.rows().back(), feature::place::flow_packets), 0);
}

// By the third one a table is full of records that are too young to go: new flows are untracked.
INSTANTIATE_TEST_SUITE_P(floods, flow_flood,
                         ::testing::Values(flood{"slow", 1, 7}, flood{"fast", 50, 20},
                                           flood{"faster_than_it_ages", 800, 20}),
                         [](auto const& tested) { return tested.param.name; });

}  // namespace
}  // namespace packetwarp::test::features

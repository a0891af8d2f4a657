// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "executor/gpu/joint/rooms.h"
#include "function/function_facts.h"
#include "joint/joint_oracle.h"
#include "joint/route_oracle.h"
#include "parity/parity.h"

namespace packetwarp::test {

INSTANTIATE_TEST_SUITE_P(joint_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(joint_functions), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(tested_bursts),
                                          testing::ValuesIn(tested_packet_times)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(apart_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(functions_apart), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(tested_bursts),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(joint_routes_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(joint_chains), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(tested_bursts),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(apart_routes_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(chains_apart), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(tested_bursts),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);

// Sizes around the room of a group and of the cpu executor's look ahead.
constexpr std::array bursts_of_sets{1u, 16u, 33u, 64u, 257u, 8192u};
// Route hooks with annotations, each set of switches, and a short way beside joint stages. An executor that spends time
// on packets has the same result.
INSTANTIATE_TEST_SUITE_P(switched_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(tested_switched_scores), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(bursts_of_sets),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(short_ways, parity,
                         testing::Combine(testing::ValuesIn(tested_short_ways), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(bursts_of_sets),
                                          testing::ValuesIn(tested_packet_times)),
                         name_of);

TEST(joint, has_the_drop_names_of_all_stages_and_says_what_a_room_takes) {
  constexpr auto& facts = facts_of<judged_routes>;
  EXPECT_EQ(facts.name, "payload_sum, header_score, router");
  constexpr auto of_router = router::drop_names.size();
  ASSERT_EQ(facts.drop_names.size(), of_router + 4);
  EXPECT_EQ(facts.drop_names[of_router + 1], "low_sum");
  EXPECT_EQ(facts.drop_names[of_router + 3], "bad_class");
  EXPECT_EQ(facts.reach, payload_reach::payload);
  EXPECT_EQ(facts.room_bytes, sizeof(judged_routes::room));
  EXPECT_GE(facts.room_bytes, sizeof(payload_sum::room) + sizeof(header_score::room));
  EXPECT_EQ(facts_of<router>.room_bytes, 0u);
}

TEST(joint, is_refused_by_name_where_a_block_cannot_have_its_rooms) {
  // Among the three executors, a kernel's blocks have the fewest warps.
  auto in_step = facts_of<judged_routes>;
  in_step.goes_in_step = true;
  for (auto const& function : {facts_of<judged_routes>, in_step, facts_of<router>}) {
    EXPECT_LT(kernel_threads, threads_of_block(executor_kind::persistent, function));
    EXPECT_LE(threads_of_block(executor_kind::persistent, function), threads_of_block(executor_kind::graph, function));
  }
  EXPECT_THAT(lack_of_room("wide", 4096, graph_threads, 100000),
              testing::AllOf(testing::StartsWith("function wide works on packets together: it needs 4096 bytes"),
                             testing::HasSubstr("131072 for the 32 warps of a block"),
                             testing::EndsWith("can have 100000; use executor kernel or executor cpu")));
  EXPECT_THAT(lack_of_room("wide", 65536, graph_threads, 100000), testing::EndsWith("100000; use executor cpu"));
}

}  // namespace packetwarp::test

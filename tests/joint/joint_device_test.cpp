// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "executor/gpu/gpu_work.h"
#include "joint/greedy.h"
#include "joint/joint_oracle.h"
#include "joint/route_oracle.h"
#include "parity/parity.h"

namespace packetwarp::test {

// Sizes around the room of a lane, a group, a unit and a block.
constexpr std::array joint_bursts{1u, 16u, 33u, 64u, 65u, 257u, 1024u, 8192u};
constexpr std::array switched_bursts{33u, 64u, 1024u};

// Every executor on a GPU gives every packet the class and the sum that the oracle gives it, bit for bit.
INSTANTIATE_TEST_SUITE_P(joint, parity,
                         testing::Combine(testing::ValuesIn(joint_functions), testing::ValuesIn(tested_executors),
                                          testing::ValuesIn(tested_placements), testing::ValuesIn(joint_bursts),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(joint_routes, parity,
                         testing::Combine(testing::ValuesIn(joint_chains), testing::ValuesIn(tested_executors),
                                          testing::ValuesIn(tested_placements), testing::ValuesIn(joint_bursts),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(apart, parity,
                         testing::Combine(testing::ValuesIn(functions_apart),
                                          testing::ValuesIn(executors_with_launches()),
                                          testing::ValuesIn(tested_placements), testing::ValuesIn(joint_bursts),
                                          testing::ValuesIn(tested_packet_times)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(apart_routes, parity,
                         testing::Combine(testing::ValuesIn(chains_apart), testing::ValuesIn(executors_with_launches()),
                                          testing::ValuesIn(tested_placements), testing::ValuesIn(joint_bursts),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);

// Route hooks with annotations, by each set of switches.
INSTANTIATE_TEST_SUITE_P(switched, parity,
                         testing::Combine(testing::ValuesIn(tested_switched_scores),
                                          testing::ValuesIn(tested_executors), testing::ValuesIn(tested_placements),
                                          testing::ValuesIn(switched_bursts), testing::ValuesIn(no_packet_time)),
                         name_of);

TEST(joint_apart, has_no_persistent_kernel) {
  if (find_gpus().empty()) GTEST_SKIP() << "no GPU here";
  gpu_settings settings;
  settings.gpu = open_gpu(0);
  burst_ring ring{8, 64};
  EXPECT_THROW((void)test_of<header_score_apart>().make(executor_kind::persistent, ring, {}, settings), usage_error);
}

class joint_rooms : public testing::TestWithParam<executor_kind> {};

TEST_P(joint_rooms, are_refused_by_name_where_the_gpu_has_less) {
  if (find_gpus().empty()) GTEST_SKIP() << "no GPU here";
  gpu_settings settings;
  settings.gpu = open_gpu(0);
  ASSERT_GT(settings.gpu.shared_bytes, 0u);
  ASSERT_LT(settings.gpu.shared_bytes, sizeof(greedy::room) * kernel_threads / gpu_warp_size);
  burst_ring ring{8, 64};
  try {
    auto const made = make_executor<greedy>(GetParam(), ring, {{}, {}}, egress_index{0}, {}, settings);
    made->on_gpu()->start();
    (void)made->on_gpu()->stop();
    FAIL() << "it was started";
  } catch (failure const& refused) {
    EXPECT_THAT(refused.what(), testing::AllOf(testing::StartsWith("GPU 0, "), testing::HasSubstr("function greedy"),
                                               testing::EndsWith("use executor cpu")));
  }
}
INSTANTIATE_TEST_SUITE_P(of, joint_rooms,
                         testing::Values(executor_kind::kernel, executor_kind::persistent, executor_kind::graph),
                         [](auto const& given) { return std::string{to_string(given.param)}; });

}  // namespace packetwarp::test

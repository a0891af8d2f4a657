// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace packetwarp {
namespace {

static_assert(!std::is_convertible_v<queue_id, port_id>, "a queue is no port");
static_assert(!std::is_constructible_v<port_id, queue_id>, "a queue is no port, asked for or not");
static_assert(!std::is_convertible_v<std::uint16_t, port_id>, "a bare number says nothing about what it names");
static_assert(std::is_trivially_copyable_v<pipeline_id> && sizeof(pipeline_id) == 2);

TEST(ids, start_at_zero_and_keep_their_number) {
  EXPECT_EQ(port_id{}.value(), 0);
  EXPECT_EQ(lcore_id{7}.value(), 7u);
  EXPECT_EQ(gpu_id{-1}.value(), -1);
}

TEST(ids, compare_by_number) {
  EXPECT_EQ(queue_id{3}, queue_id{3});
  EXPECT_NE(queue_id{3}, queue_id{4});
  EXPECT_LT(queue_id{3}, queue_id{4});
}

TEST(ids, are_keys_of_hashed_containers) {
  std::unordered_set<port_id> const ports{port_id{1}, port_id{2}, port_id{1}};
  EXPECT_EQ(ports.size(), 2u);
  EXPECT_TRUE(ports.contains(port_id{2}));
}

}  // namespace
}  // namespace packetwarp

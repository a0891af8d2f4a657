// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixtures/eal_environment.h"
#include "traffic/loop.h"
#include "traffic/wires.h"

namespace packetwarp::traffic {
namespace {

// A master, two workers for the data plane, and two for the generator and the verifier.
[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment{5, {}, 512});

TEST(loop_threads, share_nothing_but_what_they_hand_over) {
  for (auto const workers : {arrangement::run_to_completion, arrangement::pair}) {
    SCOPED_TRACE(fmt::format("{}", to_string(workers)));
    exchange_config config;
    config.what.flows = parse_pattern("udp.sport=1..10");
    config.packets = 3000;
    config.pool_cache = 32;
    data_plane_config plane;
    plane.workers = workers;
    plane.pipelines = workers == arrangement::pair ? 1 : 2;
    plane.pool_cache = 32;
    loop tested{test::fresh_name(), config, plane};
    // Live statistics are read while all threads write.
    std::uint64_t looks = 0;
    auto const result = tested.run({.stats_period = std::chrono::microseconds{1}}, [&](live_period const& period) {
      ++looks;
      EXPECT_LE(period.from.sent.packets, period.to.sent.packets);
    });
    EXPECT_GT(looks, 0U);
    EXPECT_EQ(result.total.sent.packets, 3000U * plane.pipelines);
    EXPECT_EQ(result.total.received.packets, result.total.sent.packets);
    EXPECT_TRUE(result.total.is_flawless());
  }
}

}  // namespace
}  // namespace packetwarp::traffic

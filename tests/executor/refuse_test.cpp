// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/refuse.h"

#include <gtest/gtest.h>

#include "executor/executor_fixture.h"
#include "executor/make.h"
#include "function/swap_payload/swap_payload.h"

namespace packetwarp {
namespace {

using refuse_executor_test = test::executor_fixture;

TEST_F(refuse_executor_test, drops_every_packet_by_name_and_touches_none) {
  refuse_executor<forward> refuses{ring_, {}};
  EXPECT_EQ(refuses.poll(), 0u);
  std::vector<test::bytes> frames(33, test::packet_builder{}.eth().ipv4().udp(1, 2).payload(20).build());
  publish(frames);
  EXPECT_EQ(refuses.poll(), 33u);
  auto const done = take_done();
  ASSERT_EQ(done.packets.size(), 33u);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(done.verdicts[i], verdict::drop(drop_reason::gpu_failed));
    EXPECT_EQ(test::bytes_of(*done.packets[i]), frames[i]);
  }
  EXPECT_EQ(refuses.name_of(drop_reason::gpu_failed), "gpu_failed");
  EXPECT_EQ(refuses.name_of(function_drop(forward::runt)), "runt");
  free(done);
}

// It also polls in vain between bursts: its next verdicts are for the burst that it was given, and for no other.
TEST_F(refuse_executor_test, refuses_burst_after_burst_with_idle_polls_between_them) {
  refuse_executor<forward> refuses{ring_, {}};
  for (std::size_t n = 1; n <= 3 * ring_.slots(); ++n) {
    EXPECT_EQ(refuses.poll(), 0u);
    publish(std::vector<test::bytes>(n, test::packet_builder{}.eth().ipv4().udp(1, 2).payload(20).build()));
    ASSERT_EQ(refuses.poll(), n);
    auto const done = take_done();
    ASSERT_EQ(done.packets.size(), n);
    for (auto const& said : done.verdicts) EXPECT_EQ(said, verdict::drop(drop_reason::gpu_failed));
    free(done);
    EXPECT_EQ(refuses.poll(), 0u);
  }
}

TEST(cpu_reaches_packets, wherever_host_memory_has_what_the_function_needs) {
  using enum placement;
  auto const settings = [](placement where, packet_route route) {
    gpu_settings made;
    made.where = where;
    made.route = route;
    return made;
  };
  for (auto const where : {host, device, split}) {
    EXPECT_TRUE(cpu_reaches_packets<swap_payload>(settings(where, packet_route::staged))) << to_string(where);
  }
  EXPECT_TRUE(cpu_reaches_packets<forward>(settings(host, packet_route::direct)));
  EXPECT_FALSE(cpu_reaches_packets<forward>(settings(device, packet_route::direct)));
  EXPECT_TRUE(cpu_reaches_packets<forward>(settings(split, packet_route::direct))) << "headers are in host memory";
  EXPECT_FALSE(cpu_reaches_packets<swap_payload>(settings(split, packet_route::direct)));
}

TEST(settings_for, stage_a_payload_only_for_functions_that_reach_it) {
  gpu_settings asked;
  asked.where = placement::split;
  asked.route = packet_route::staged;
  EXPECT_EQ(settings_for<forward>(asked).route, packet_route::direct);
  EXPECT_EQ(settings_for<swap_payload>(asked).route, packet_route::staged);
  asked.where = placement::device;
  EXPECT_EQ(settings_for<forward>(asked).route, packet_route::staged);
}

}  // namespace
}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/example/size_limit.h"

#include <gtest/gtest.h>

#include "executor/cpu.h"
#include "executor/executor_fixture.h"
#include "fixtures/eal_environment.h"
#include "function/chain.h"
#include "function/forward/forward.h"

namespace packetwarp {
namespace {

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment);

// quote: chain
using limited_forward = chain<size_limit, forward>;
static_assert(packet_function<limited_forward>);
// quote: end
static_assert(limited_forward::name == "size_limit, forward");

using example_stage = test::executor_fixture;

test::bytes frame(std::size_t payload) {
  return test::packet_builder{}.eth("02:00:00:00:00:01", "02:00:00:00:00:02").ipv4().udp(1, 2).payload(payload).build();
}
test::bytes swapped(std::size_t payload) {
  return test::packet_builder{}.eth("02:00:00:00:00:02", "02:00:00:00:00:01").ipv4().udp(1, 2).payload(payload).build();
}

// quote: test
TEST_F(example_stage, drops_what_is_too_long_and_forwards_the_rest_as_forward_does) {
  auto const longest = static_cast<std::uint32_t>(frame(100).size());
  limited_forward::ref const tables{{size_limit::ref{longest}}, {forward::ref{egress_index{2}}}};
  cpu_executor<limited_forward> cpu{ring_, tables, std::chrono::nanoseconds{0}};

  publish({frame(99), frame(100), frame(101)});
  ASSERT_EQ(cpu.poll(), 3u);
  auto const done = take_done();

  EXPECT_EQ(done.verdicts[0], verdict::forward(egress_index{2}));
  EXPECT_EQ(done.verdicts[1], verdict::forward(egress_index{2}));
  EXPECT_EQ(cpu.name_of(done.verdicts[2].why()), "too_long");
  EXPECT_EQ(test::bytes_of(*done.packets[1]), swapped(100));
  EXPECT_EQ(test::bytes_of(*done.packets[2]), frame(101)) << "a dropped packet is not changed";
  free(done);
}
// quote: end

TEST_F(example_stage, keeps_the_names_of_the_stage_after_it) {
  limited_forward::ref const tables{{size_limit::ref{1500}}, {forward::ref{egress_index{2}}}};
  cpu_executor<limited_forward> cpu{ring_, tables, std::chrono::nanoseconds{0}};

  publish({test::bytes(13)});
  ASSERT_EQ(cpu.poll(), 1u);
  auto const done = take_done();

  EXPECT_EQ(cpu.name_of(done.verdicts[0].why()), "runt");
  free(done);
}

}  // namespace
}  // namespace packetwarp

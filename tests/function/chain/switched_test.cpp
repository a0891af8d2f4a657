// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/switched.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "executor/cpu.h"
#include "executor/executor_fixture.h"
#include "executor/refuse.h"
#include "function/chain.h"
#include "function/example/size_limit.h"
#include "function/forward/forward.h"

namespace packetwarp::test {
namespace {

using general = chain<switched<size_limit>, forward>;
static_assert(packet_function<general> && general::name == "size_limit, forward");
static_assert(has_ingress<switched<size_limit>> && !has_egress<switched<size_limit>>);
static_assert(has_stays_near<switched<size_limit>> && !holds_tables<switched<size_limit>>);
static_assert(!has_route_hooks<switched<size_limit>> && !has_joint_work<switched<size_limit>>);

[[nodiscard]] general::ref tables(std::uint32_t is_on) { return {{{{.longest = 60}, is_on}}, {{egress_index{2}}}}; }
[[nodiscard]] std::set<std::string_view> names_of(executor const& one) {
  std::set<std::string_view> all;
  for (std::uint16_t n = 0; n < general::drop_names.size(); ++n) all.insert(one.name_of(function_drop(n)));
  return all;
}

using switched_stage = executor_fixture;

TEST_F(switched_stage, passes_packets_by_when_it_is_off) {
  for (auto const is_on : {0u, 1u}) {
    cpu_executor<general> cpu{ring_, tables(is_on), std::chrono::nanoseconds{0}};
    publish({bytes(61), bytes(60)});
    ASSERT_EQ(cpu.poll(), 2u);
    auto const done = take_done();
    if (is_on != 0) {
      EXPECT_EQ(cpu.name_of(done.verdicts[0].why()), "too_long");
    } else {
      EXPECT_EQ(done.verdicts[0], verdict::forward(egress_index{2}));
    }
    EXPECT_EQ(done.verdicts[1], verdict::forward(egress_index{2}));
    free(done);
  }
}

TEST_F(switched_stage, has_no_drop_names_when_it_is_off) {
  for (auto const is_on : {0u, 1u}) {
    std::set<std::string_view> const wanted{is_on != 0 ? "too_long" : "", "runt"};
    cpu_executor<general> const cpu{ring_, tables(is_on), std::chrono::nanoseconds{0}};
    EXPECT_EQ(names_of(cpu), wanted);
    refuse_executor<general> const refuses{ring_, tables(is_on)};
    EXPECT_EQ(names_of(refuses), wanted);
    EXPECT_EQ(cpu.name_of(drop_reason::tx_full), "tx_full") << "of the data path itself";
  }
}

}  // namespace
}  // namespace packetwarp::test

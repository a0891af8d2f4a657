// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature/foresee.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "feature/traffic.h"

namespace packetwarp::test::features {
namespace {

TEST(feature_foresee, changes_no_row_and_no_count_for_known_new_and_untracked_packets) {
  constexpr feature::state_sizes few{.flows = 64, .hosts = 64};
  pipeline plain{few};
  feature::feature_state ahead{few, key};
  for (std::uint32_t n = 0; n < 5'000; ++n) {
    auto facts = udp_facts(1 + n % 700, 1 + n * 7 % 300, static_cast<std::uint16_t>(n % 50), 53);
    if (n % 11 == 0) facts = {.length = 60};  // no IP header
    auto const epoch = 1 + n / 40;
    auto const seen = feature::foresee(facts, ahead.ref());
    feature::foresee_further(seen, epoch, ahead.ref());
    row made{};
    feature::observe(seen.facts, seen.keys, epoch, ahead.ref(), made.data());
    ASSERT_EQ(made, plain.see(facts, epoch)) << n;
  }
  EXPECT_GT(ahead.ref().flows.counts->replaced, 0U);
  EXPECT_EQ(ahead.ref().flows.counts->inserted, plain.ref().flows.counts->inserted);
  EXPECT_EQ(ahead.ref().flows.counts->replaced, plain.ref().flows.counts->replaced);
  EXPECT_EQ(ahead.ref().flows.counts->untracked, plain.ref().flows.counts->untracked);
}

}  // namespace
}  // namespace packetwarp::test::features

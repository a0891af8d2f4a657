// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/outcome.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace packetwarp {
namespace {

verdicts_seen seen_of(std::vector<std::uint16_t> const& raw) {
  verdicts_seen seen;
  for (auto const one : raw) seen.add(verdict::from_raw(one));
  return seen;
}

TEST(verdicts_seen, of_one_verdict_are_that_verdict) {
  for (std::uint32_t raw = 0; raw <= 0xffff; ++raw) {
    auto const outcome = seen_of({static_cast<std::uint16_t>(raw)}).outcome();
    ASSERT_TRUE(outcome.is_uniform()) << raw;
    ASSERT_EQ(outcome.of_all().raw(), raw);
  }
}

// Few values, close together, so that both happen often.
TEST(verdicts_seen, are_uniform_exactly_if_all_verdicts_are_the_same) {
  std::mt19937 random{1};
  int uniform = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::uint16_t> raw(random() % 4 + 1);
    auto const base = random() % 0x10000;
    for (auto& one : raw) one = static_cast<std::uint16_t>(base ^ (random() % 4 == 0 ? 1u << random() % 16 : 0u));
    bool const same = raw == std::vector<std::uint16_t>(raw.size(), raw[0]);
    auto const outcome = seen_of(raw).outcome();
    ASSERT_EQ(outcome.is_uniform(), same);
    if (!same) continue;
    ++uniform;
    ASSERT_EQ(outcome.of_all().raw(), raw[0]);
  }
  EXPECT_GT(uniform, 1000);
}

TEST(verdicts_seen, of_parts_add_up_to_those_of_the_whole) {
  std::mt19937 random{2};
  for (int round = 0; round < 10'000; ++round) {
    std::vector<std::uint16_t> all(random() % 8 + 1);
    for (auto& one : all) one = static_cast<std::uint16_t>(random() % 3);
    auto const cut = static_cast<std::ptrdiff_t>(random() % (all.size() + 1));
    auto seen = seen_of({all.begin(), all.begin() + cut});
    seen.add(verdicts_seen::from_raw(seen_of({all.begin() + cut, all.end()}).raw()));
    ASSERT_EQ(seen.raw(), seen_of(all).raw());
  }
}

}  // namespace
}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "executor/offload_fixture.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;

// The processor's failure, and the log's line about it.
struct way_to_fail {
  std::string name;
  std::chrono::nanoseconds timeout;
  void (*happen)(test::fake_executor&);
  std::string why;
  friend void PrintTo(way_to_fail const& way, std::ostream* out) { *out << way.name; }
};

class offload_failure_test : public test::offload_fixture, public testing::WithParamInterface<way_to_fail> {
 protected:
  // Lets the failure happen and polls until it is noticed, however long that takes. The result is the polled packets
  // and the log.
  struct noticed {
    std::uint32_t packets;
    std::string log;
  };
  noticed fail(test::fake_executor& offload) {
    GetParam().happen(offload);
    testing::internal::CaptureStderr();
    std::uint32_t packets = 0;
    while (!offload.has_failed()) {
      packets += offload.poll();
      offload.watch();
      (void)look();
    }
    domain().finish();
    return {packets, testing::internal::GetCapturedStderr()};
  }

  test::fake_executor offload_{make(GetParam().timeout)};
};

TEST_P(offload_failure_test, counts_what_was_finished_and_drops_the_rest) {
  auto const first = alike(1), second = frames_of({2, 3}), third = frames_of({5, 4, 4}), fourth = alike(4);
  for (auto const& frames : {first, second, third, fourth}) publish(frames);
  EXPECT_EQ(offload_.poll(), 0u);
  // The third, too, which cannot be taken back while the second is not finished.
  finish(0);
  finish(2);
  auto const seen = fail(offload_);
  EXPECT_EQ(seen.packets, 10u);
  EXPECT_THAT(seen.log, testing::HasSubstr("error: fake processor: " + GetParam().why + "; 6 packets of the "));
  EXPECT_EQ(std::count(seen.log.begin(), seen.log.end(), '\n'), 1) << seen.log;
  expect_next(first);
  expect_next_untouched(second, lost);
  expect_next(third);
  expect_next_untouched(fourth, lost);
}

TEST_P(offload_failure_test, hands_over_from_the_next_burst_on_for_good) {
  publish(alike(3));
  EXPECT_EQ(offload_.poll(), 0u);
  EXPECT_EQ(fail(offload_).packets, 3u);
  expect_next_untouched(alike(3), lost);
  for (unsigned n = 0; n < 3 * ring_.slots(); ++n) {
    publish(alike(2, n));
    EXPECT_EQ(offload_.poll(), 2u);
    expect_next_untouched(alike(2, n), by_fallback);
  }
  EXPECT_TRUE(offload_.has_failed());
}

TEST_P(offload_failure_test, hands_over_what_is_ready_and_was_not_given) {
  offload_.take_at_most(0);
  publish(alike(1));
  EXPECT_EQ(offload_.poll(), 0u);
  offload_.take_at_most(1);
  EXPECT_EQ(offload_.poll(), 0u);
  offload_.take_at_most(0);
  publish(alike(2));
  EXPECT_EQ(fail(offload_).packets, 1u);
  EXPECT_EQ(offload_.poll(), 2u);
  expect_next_untouched(alike(1), lost);
  expect_next_untouched(alike(2), by_fallback);
}

TEST_P(offload_failure_test, empties_a_full_ring) {
  for (unsigned n = 0; n < ring_.slots(); ++n) publish(alike(1, n));
  EXPECT_EQ(offload_.poll(), 0u);
  EXPECT_EQ(fail(offload_).packets, ring_.slots());
  for (unsigned n = 0; n < ring_.slots(); ++n) expect_next_untouched(alike(1, n), lost);
  EXPECT_NE(ring_.open(), nullptr);
}

// No burst may be given up while a thread still gives: the two may be on threads of their own.
TEST_P(offload_failure_test, waits_for_who_gives_to_stop) {
  publish(alike(3));
  offload_.give();
  EXPECT_EQ(offload_.collect(), 0u);
  GetParam().happen(offload_);
  offload_.give();
  for (int n = 0; n < 10'000; ++n) {
    ASSERT_EQ(offload_.collect(), 0u);
    offload_.watch();
    ASSERT_FALSE(look()) << "the CPU takes over";
  }
  EXPECT_FALSE(offload_.has_failed());
  EXPECT_EQ(ring_.next_done(), nullptr);
  EXPECT_EQ(fail(offload_).packets, 3u);
  expect_next_untouched(alike(3), lost);
}

TEST_P(offload_failure_test, comes_in_the_middle_of_a_life) {
  std::uint64_t position = 0;
  for (; position < 10; ++position) {
    publish(alike(2));
    EXPECT_EQ(offload_.poll(), 0u);
    finish(position);
    EXPECT_EQ(offload_.poll(), 2u);
    expect_next(alike(2));
  }
  publish(alike(5));
  EXPECT_EQ(offload_.poll(), 0u);
  EXPECT_EQ(fail(offload_).packets, 5u);
  expect_next_untouched(alike(5), lost);
}

// The processor may only be slow: its later writes must not land in a packet that came afterwards.
TEST_P(offload_failure_test, keeps_memory_that_the_processor_may_write_to_until_it_has_ended) {
  std::vector<test::bytes> const chained{test::bytes(3000, std::byte{3}), test::bytes(2, std::byte{5})};
  auto const all = pool_.available();
  publish(chained);
  auto const without = pool_.available();
  publish(alike(4));
  EXPECT_EQ(offload_.poll(), 0u);
  finish(1);
  EXPECT_EQ(fail(offload_).packets, 6u);
  expect_next_untouched(chained, lost);
  expect_next(alike(4));
  EXPECT_EQ(pool_.available(), without) << "in use, but for what was finished";
  EXPECT_EQ(offload_.stop(), end_state::ended);
  EXPECT_EQ(pool_.available(), all);
}

// A processor that wakes up again: no other code uses its slots, so its words about them mean nothing.
TEST_P(offload_failure_test, is_not_taken_back_by_what_is_finished_later) {
  publish(alike(1));
  publish(alike(2));
  EXPECT_EQ(offload_.poll(), 0u);
  EXPECT_EQ(fail(offload_).packets, 3u);
  expect_next_untouched(alike(1), lost);
  expect_next_untouched(alike(2), lost);
  for (std::uint64_t position = 0; position < 8; ++position) {
    test::say_done(shared(), position, burst_outcome::uniform(test::turn_over::even));
    publish(alike(4));
    EXPECT_EQ(offload_.poll(), 4u);
    expect_next_untouched(alike(4), by_fallback);
    EXPECT_EQ(ring_.next_done(), nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(
    by, offload_failure_test,
    testing::Values(
        way_to_fail{"offer", 1h, [](test::fake_executor& offload) { offload.refuse_offers(); }, "it takes no more"},
        way_to_fail{"trouble", 1h, [](test::fake_executor& offload) { offload.be_in_trouble("it burns"); }, "it burns"},
        way_to_fail{"end", 1h, [](test::fake_executor& offload) { offload.end_by_itself(); },
                    "its kernel ended by itself"},
        // The processor ends once it is let go: this is no reason for its loss.
        way_to_fail{"time_out", 1us, [](test::fake_executor&) {}, "no progress for 1.00 us"}),
    [](auto const& given) { return given.param.name; });

}  // namespace
}  // namespace packetwarp

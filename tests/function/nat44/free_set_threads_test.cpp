// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "function/nat44/container/free_set.h"

namespace packetwarp::nat::nat44_free_set_threads_tests {
namespace {

// Threads take and give back next to the only free numbers, so that words become empty and not empty all the time.
TEST(free_set_threads, every_free_number_is_found_from_everywhere_after_threads_have_met_in_it) {
  constexpr std::uint32_t size = 64 * 64 * 2;
  constexpr unsigned threads = 4;
  constexpr unsigned free_numbers = threads + 1;
  std::vector<std::uint64_t> words(free_set::words_for(size));
  free_set const set{words.data(), size};
  for (unsigned n = 0; n < free_numbers; ++n) set.give_back(n * 64);
  for (unsigned round = 0; round < 100; ++round) {
    std::vector<std::thread> all;
    for (unsigned me = 0; me < threads; ++me) {
      all.emplace_back([&set, me] {
        for (unsigned i = 0; i < 2000; ++i) {
          auto const taken = set.take((i * 7 + me) % free_numbers * 64);
          if (taken != free_set::none) set.give_back(taken);
        }
      });
    }
    for (auto& one : all) one.join();
    for (std::uint32_t start = 0; start < size; start += 64) {
      auto const taken = set.take(start);
      ASSERT_NE(taken, free_set::none) << "from " << start << " in round " << round;
      set.give_back(taken);
    }
    std::vector<std::uint32_t> taken;
    for (unsigned n = 0; n < free_numbers; ++n) taken.push_back(set.take(size - 1));
    for (auto const n : taken) ASSERT_NE(n, free_set::none) << "in round " << round;
    ASSERT_EQ(set.take(0), free_set::none);
    for (auto const n : taken) set.give_back(n);
  }
}

}  // namespace
}  // namespace packetwarp::nat::nat44_free_set_threads_tests

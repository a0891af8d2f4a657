// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/mlx5/doorbell_proxy.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "rdma/queue_pair_ref.h"

namespace packetwarp::rdma {
namespace {

[[nodiscard]] std::uint64_t now_in(std::uint64_t const& word) { return detail::load_before(word, acquire_from_system); }

TEST(doorbell_proxy, stores_each_word_in_its_own_register_and_the_last_one_in_the_end) {
  constexpr std::size_t queues = 3;
  alignas(64) std::array<std::uint64_t, queues> words{}, registers{};
  std::vector<doorbell_proxy::line> lines;
  for (std::size_t n = 0; n < queues; ++n) lines.push_back({&words[n], &registers[n]});
  {
    doorbell_proxy proxy{lines};
    for (std::uint64_t value = 1; value <= 1000; ++value) {
      for (std::size_t n = 0; n < queues; ++n) detail::store_after(words[n], value << 8 | n, release_to_system);
      if (value % 100 == 0) {
        while (now_in(registers[0]) != value << 8) std::this_thread::yield();
      }
    }
    proxy.stop();
    EXPECT_GE(proxy.rung(), 10U);
    EXPECT_LE(proxy.rung(), 3000U);
  }
  for (std::size_t n = 0; n < queues; ++n) EXPECT_EQ(registers[n], std::uint64_t{1000} << 8 | n);
}

TEST(doorbell_proxy, rings_nothing_without_a_doorbell) {
  std::uint64_t word = 0, doorbell = 7;
  doorbell_proxy proxy{std::array{doorbell_proxy::line{&word, &doorbell}}};
  proxy.stop();
  EXPECT_EQ(doorbell, 7U);
  EXPECT_EQ(proxy.rung(), 0U);
}

}  // namespace
}  // namespace packetwarp::rdma

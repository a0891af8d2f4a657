// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/packet_pool.h"

#include <gtest/gtest.h>
#include <rte_mbuf.h>

#include "base/error.h"
#include "fixtures/eal_environment.h"
#include "memory/placement.h"

namespace packetwarp {
namespace {

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment);

packet_pool_config config_of(std::uint32_t packets, std::uint32_t data_room, std::uint32_t cache = 0) {
  return {.name = "pool_test", .packets = packets, .data_room = data_room, .cache = cache, .socket = -1};
}

std::string failure_of(packet_pool_config const& config) {
  try {
    packet_pool const pool{config};
  } catch (failure const& failed) {
    return failed.what();
  }
  return "made";
}

TEST(packet_pool, holds_as_many_packets_as_asked_for) {
  for (auto const packets : {1u, 2u, 100u, 1023u, 2047u}) {
    packet_pool const pool{config_of(packets, 128)};
    EXPECT_EQ(pool.available(), packets);
    EXPECT_EQ(pool.get().size, packets);
  }
}

TEST(packet_pool, gives_mbufs_with_the_data_room_asked_for_behind_the_headroom) {
  for (auto const room : {128u, 129u, 2048u, 9216u, 65407u}) {
    packet_pool const pool{config_of(3, room)};
    auto* const packet = rte_pktmbuf_alloc(&pool.get());
    ASSERT_NE(packet, nullptr);
    EXPECT_EQ(rte_pktmbuf_tailroom(packet), room);
    EXPECT_EQ(rte_pktmbuf_headroom(packet), RTE_PKTMBUF_HEADROOM);
    rte_pktmbuf_free(packet);
  }
}

TEST(packet_pool, takes_the_memory_its_config_tells) {
  for (auto const room : {128u, 1000u, 2048u}) {
    packet_pool const pool{config_of(255, room, 32)};
    auto const& made = pool.get();
    EXPECT_EQ(pool.config().bytes(), std::uint64_t{made.header_size + made.elt_size + made.trailer_size} * 255);
  }
}

TEST(packet_pool, that_is_empty_gives_nothing_until_a_packet_comes_back) {
  packet_pool const pool{config_of(63, 128)};
  std::vector<rte_mbuf*> taken;
  while (auto* const packet = rte_pktmbuf_alloc(&pool.get())) taken.push_back(packet);
  EXPECT_EQ(taken.size(), 63u);
  EXPECT_EQ(pool.available(), 0u);
  rte_pktmbuf_free(taken.back());
  taken.pop_back();
  EXPECT_EQ(pool.available(), 1u);
  taken.push_back(rte_pktmbuf_alloc(&pool.get()));
  EXPECT_NE(taken.back(), nullptr);
  EXPECT_EQ(rte_pktmbuf_alloc(&pool.get()), nullptr);
  rte_pktmbuf_free_bulk(taken.data(), static_cast<unsigned>(taken.size()));
  EXPECT_EQ(pool.available(), 63u);
}

TEST(packet_pool, counts_packets_in_an_lcore_s_cache_as_available) {
  packet_pool const pool{config_of(511, 128, 64)};
  auto* const packet = rte_pktmbuf_alloc(&pool.get());
  ASSERT_NE(packet, nullptr);
  EXPECT_EQ(pool.available(), 510u);
  rte_pktmbuf_free(packet);
  EXPECT_EQ(pool.available(), 511u);
}

TEST(packet_pool, that_does_not_fit_says_how_much_it_needs_and_how_to_have_it) {
  auto const config = config_of(1'048'575, 2048);
  EXPECT_EQ(
      failure_of(config),
      "packet pool pool_test of 1048575 packets x 2048 bytes needs 2.31 GiB, which is not free; give the EAL more "
      "memory (-m 2495), or ask for fewer pipelines, descriptors or a smaller ring");
  EXPECT_GE((std::uint64_t{2495} << 20), config.bytes()) << "the remedy is enough";
}

TEST(packet_pool, that_could_never_be_is_not_put_down_to_memory) {
  packet_pool const first{config_of(63, 128)};
  EXPECT_EQ(failure_of(config_of(63, 128)),
            "packet pool pool_test of 63 packets x 128 bytes with caches of 0: the EAL refuses it: File exists");
}

TEST(packet_pool, refuses_caches_that_its_packets_cannot_fill) {
  EXPECT_EQ(
      failure_of(config_of(255, 128, 512)),
      "packet pool pool_test of 255 packets x 128 bytes with caches of 512: the EAL refuses it: Invalid argument");
  EXPECT_EQ(failure_of(config_of(2047, 128, 513)),
            "packet pool pool_test of 2047 packets x 128 bytes with caches of 513: the EAL refuses it: Invalid "
            "argument");
}

TEST(packet_pool, gives_its_memory_back) {
  // Together these would be many times the EAL's memory.
  for (int i = 0; i < 100; ++i) {
    packet_pool const pool{config_of(8191, 2048)};
    EXPECT_EQ(pool.available(), 8191u);
  }
}

TEST(placement, has_the_word_people_type) {
  EXPECT_EQ(to_string(placement::host), "host");
  EXPECT_EQ(to_string(placement::device), "device");
  EXPECT_EQ(to_string(placement::split), "split");
  EXPECT_EQ(static_cast<int>(placement::host), 0);
  EXPECT_EQ(static_cast<int>(placement::device), 1);
}

}  // namespace
}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/hash_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "function/nat44/nat44_bed.h"
#include "function/nat44/session/find_session.h"

namespace packetwarp::test::nat44_hash_key_tests {
namespace {

// Endpoints as an attacking host would try them: by address, by port, by every second bit of either.
std::vector<std::function<std::uint64_t(std::uint32_t)>> series() {
  auto const key = [](std::uint32_t address, std::uint32_t port) {
    return nat::key_of(nat::transport::udp, {{address}, static_cast<std::uint16_t>(port)});
  };
  return {[key](std::uint32_t n) { return key(0x0a00'0001, n); }, [key](std::uint32_t n) { return key(n, 53); },
          [key](std::uint32_t n) { return key(n << 16, 53); }, [key](std::uint32_t n) { return key(n << 8, n >> 8); },
          [](std::uint32_t n) { return std::uint64_t{n}; }};
}

TEST(nat44_hash_key, spreads_whatever_series_of_endpoints_over_all_buckets) {
  constexpr std::uint32_t keys = 65536;
  constexpr std::uint32_t buckets = keys / 4;
  for (unsigned round = 0; round < 4; ++round) {
    auto const key = random_hash_key();
    for (auto const& next : series()) {
      std::vector<unsigned> low(buckets);
      std::vector<unsigned> high(buckets);
      for (std::uint32_t n = 0; n < keys; ++n) {
        auto const hash = mix(key, next(n));
        ++low[hash % buckets];
        ++high[(hash >> 32) % buckets];
      }
      // Four on average. Twenty-eight in any bucket is less likely than a broken machine.
      EXPECT_LT(*std::ranges::max_element(low), 28u);
      EXPECT_LT(*std::ranges::max_element(high), 28u);
    }
  }
}

TEST(nat44_hash_key, is_another_for_each_table_unless_it_is_given) {
  auto config = small_nat();
  nat44_table const first{config};
  nat44_table const second{config};
  EXPECT_EQ(first.cpu().hash(7), second.cpu().hash(7));
  config.hash_key = {};
  nat44_table const third{config};
  nat44_table const fourth{config};
  EXPECT_NE(third.cpu().hash(7), fourth.cpu().hash(7));
}

// This many endpoints of one bucket fill all the buckets that a key of it may lie in.
TEST(nat44_hash_key, endpoints_that_collide_by_a_known_hash_take_no_endpoint_its_session) {
  constexpr std::uint32_t enough = nat::bucket_table::max_probes * nat::bucket::size;
  auto config = small_nat();
  config.sessions = 65536;
  nat44_table table{config};
  table.tick(0);
  auto const tables = table.cpu();
  auto const place_of = [&](nat::endpoint host) {
    return nat::mix(nat::key_of(nat::transport::udp, host)) & tables.bucket_mask;
  };
  auto const ask = [&](nat::endpoint host) {
    return nat::session_of(tables, nat::transport::udp, host, 0, tables.now(), nat::when_absent::make).wrong;
  };
  auto const victim = at("10.0.0.2", 4000);
  std::uint32_t forged = 0;
  for (nat::endpoint host{ipv4("10.128.0.0"), 1000}; forged < enough; ++host.address.number) {
    if (place_of(host) != place_of(victim)) continue;
    ASSERT_EQ(ask(host), nat::fault::none);
    ++forged;
  }
  EXPECT_EQ(ask(victim), nat::fault::none);
}

}  // namespace
}  // namespace packetwarp::test::nat44_hash_key_tests

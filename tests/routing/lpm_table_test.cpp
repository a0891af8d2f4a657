// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "routing/lpm_table.h"

#include <gtest/gtest.h>
#include <rte_fib.h>
#include <rte_fib6.h>
#include <rte_lpm.h>
#include <rte_version.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "fixtures/eal_environment.h"
#include "fixtures/repetitions.h"

// The same prefixes and the same changes to DPDK's tables and to ours give the same answers.
namespace packetwarp {
namespace {

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment{1, {}, 512});

constexpr std::uint32_t groups = 4096;
constexpr std::uint32_t no_route = 0;
constexpr int prefixes = 3000;

template <auto Free>
struct freed {
  template <class T>
  void operator()(T* table) const {
    Free(table);
  }
};

std::unique_ptr<rte_lpm, freed<rte_lpm_free>> make_lpm() {
  rte_lpm_config config{.max_rules = 1 << 16, .number_tbl8s = groups, .flags = 0};
  return decltype(make_lpm()){rte_lpm_create("lpm_oracle", SOCKET_ID_ANY, &config)};
}
std::unique_ptr<rte_fib, freed<rte_fib_free>> make_fib() {
  rte_fib_conf config{};
  config.type = RTE_FIB_DIR24_8;
  config.default_nh = no_route;
  config.max_routes = 1 << 16;
  config.dir24_8 = {.nh_sz = RTE_FIB_DIR24_8_4B, .num_tbl8 = groups};
  return decltype(make_fib()){rte_fib_create("fib_oracle", SOCKET_ID_ANY, &config)};
}
std::unique_ptr<rte_fib6, freed<rte_fib6_free>> make_fib6() {
  rte_fib6_conf config{};
  config.type = RTE_FIB6_TRIE;
  config.default_nh = no_route;
  config.max_routes = 1 << 16;
  config.trie = {.nh_sz = RTE_FIB6_TRIE_4B, .num_tbl8 = 1 << 16};
  return decltype(make_fib6()){rte_fib6_create("fib6_oracle", SOCKET_ID_ANY, &config)};
}

// All within 10.0.0.0/12, so that prefixes meet.
struct random_prefixes {
  std::mt19937 random{20260};
  wire::ipv4_address address() { return {10U << 24 | static_cast<std::uint32_t>(random() & 0xf'ffff)}; }
  unsigned length() { return 8 + static_cast<unsigned>(random() % 25); }
};

// DPDK 24.11 has a type for the earlier 16 bytes.
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
using fib6_address = rte_ipv6_addr;
fib6_address* one(fib6_address& address) { return &address; }
fib6_address* many(fib6_address& address) { return &address; }
#else
struct fib6_address {
  std::uint8_t a[RTE_FIB6_IPV6_ADDR_SIZE];
};
std::uint8_t* one(fib6_address& address) { return address.a; }
std::uint8_t (*many(fib6_address& address))[RTE_FIB6_IPV6_ADDR_SIZE] { return &address.a; }
#endif

fib6_address fib6_of(wire::ipv6_address address) {
  fib6_address made;
  wire::store_ipv6_address(reinterpret_cast<std::byte*>(made.a), address);
  return made;
}

TEST(lpm_table, answers_as_rte_lpm_does_while_prefixes_come_and_go) {
  auto const lpm = make_lpm();
  ASSERT_NE(lpm, nullptr);
  lpm_table ours{{}, groups};
  random_prefixes of;
  auto const compare = [&] {
    for (int n = 0; n < test::repetitions(2000, 500); ++n) {
      auto const to = of.address();
      std::uint32_t wanted = no_route;
      if (rte_lpm_lookup(lpm.get(), to.number, &wanted) != 0) wanted = no_route;
      ASSERT_EQ(routing::longest_match(ours.host(), to), wanted) << to.number;
    }
  };
  std::vector<lpm_prefix> known;
  for (int n = 1; n <= prefixes; ++n) {
    auto const prefix = lpm_prefix::of(of.address(), of.length());
    auto const address = static_cast<std::uint32_t>(prefix.bits.high >> 32);
    auto const hop = static_cast<std::uint32_t>(n);
    ASSERT_EQ(rte_lpm_add(lpm.get(), address, static_cast<std::uint8_t>(prefix.length), hop), 0);
    ASSERT_TRUE(ours.set(prefix, hop));
    known.push_back(prefix);
    // A prefix goes for every two that come.
    if (n % 2 == 0) {
      auto const gone = known[of.random() % known.size()];
      auto const was = static_cast<std::uint32_t>(gone.bits.high >> 32);
      bool const both = rte_lpm_delete(lpm.get(), was, static_cast<std::uint8_t>(gone.length)) == 0;
      ASSERT_EQ(ours.remove(gone), both);
    }
    if (n % 250 == 0) {
      ASSERT_NO_FATAL_FAILURE(compare());
    }
    ours.commit();
    ours.reclaim();
  }
  for (auto const& prefix : known) {
    (void)ours.remove(prefix);
    (void)rte_lpm_delete(lpm.get(), static_cast<std::uint32_t>(prefix.bits.high >> 32),
                         static_cast<std::uint8_t>(prefix.length));
  }
  ASSERT_NO_FATAL_FAILURE(compare());
  EXPECT_EQ(ours.size(), 0u);
  ours.commit();
  ours.reclaim();
  EXPECT_EQ(ours.groups_free(), groups) << "no group is lost";
}

TEST(lpm_table, answers_as_rte_fib_does) {
  auto const fib = make_fib();
  ASSERT_NE(fib, nullptr);
  lpm_table ours{{}, groups};
  random_prefixes of;
  for (int n = 1; n <= prefixes; ++n) {
    auto const prefix = lpm_prefix::of(of.address(), of.length());
    auto const hop = static_cast<std::uint32_t>(n);
    ASSERT_EQ(rte_fib_add(fib.get(), static_cast<std::uint32_t>(prefix.bits.high >> 32),
                          static_cast<std::uint8_t>(prefix.length), hop),
              0);
    ASSERT_TRUE(ours.set(prefix, hop));
  }
  for (int n = 0; n < test::repetitions(100'000, 20'000); ++n) {
    auto to = of.address();
    std::uint64_t wanted = 0;
    ASSERT_EQ(rte_fib_lookup_bulk(fib.get(), &to.number, &wanted, 1), 0);
    ASSERT_EQ(routing::longest_match(ours.host(), to), wanted) << to.number;
  }
}

TEST(lpm_table, answers_as_rte_fib6_does_for_prefixes_of_every_length) {
  auto const fib = make_fib6();
  ASSERT_NE(fib, nullptr);
  lpm_table ours{{}, 1 << 16};
  std::mt19937_64 random{7};
  // Few bits differ, all over the address, so that long prefixes meet as well.
  auto const address = [&] {
    constexpr std::uint64_t differing = 0x0000'0101'0101'0101;
    return wire::ipv6_address{0x2001'0db8'0000'0000 ^ (random() & differing), random() & differing};
  };
  std::vector<lpm_prefix> known;
  for (std::uint32_t n = 1; n <= 2000; ++n) {
    // The prefixes of up to 8 bits, which are millions of entries each, once; then any.
    auto const length = n <= 9 ? n - 1 : 9 + static_cast<unsigned>(random() % 120);
    known.push_back(lpm_prefix::of(address(), length));
    auto prefix = fib6_of(known.back().bits);
    ASSERT_EQ(rte_fib6_add(fib.get(), one(prefix), static_cast<std::uint8_t>(known.back().length), n), 0);
    ASSERT_TRUE(ours.set(known.back(), n));
  }
  auto const compare = [&] {
    for (int n = 0; n < test::repetitions(50'000, 10'000); ++n) {
      auto const to = address();
      auto sought = fib6_of(to);
      std::uint64_t wanted = 0;
      ASSERT_EQ(rte_fib6_lookup_bulk(fib.get(), many(sought), &wanted, 1), 0);
      ASSERT_EQ(routing::longest_match(ours.host(), to), wanted) << to.high << ' ' << to.low;
    }
  };
  ASSERT_NO_FATAL_FAILURE(compare());
  for (std::size_t n = 0; n < known.size(); n += 2) {
    auto gone = fib6_of(known[n].bits);
    bool const both = rte_fib6_delete(fib.get(), one(gone), static_cast<std::uint8_t>(known[n].length)) == 0;
    ASSERT_EQ(ours.remove(known[n]), both);
  }
  ASSERT_NO_FATAL_FAILURE(compare());
}

TEST(lpm_table, has_a_default_route_and_host_routes) {
  lpm_table ours{{}, 16};
  EXPECT_EQ(routing::longest_match(ours.host(), wire::ipv4_address{1}), no_route);
  ASSERT_TRUE(ours.set(lpm_prefix::of(wire::ipv4_address{}, 0), 7));
  ASSERT_TRUE(ours.set(lpm_prefix::of(wire::ipv4_address{0xffff'ffff}, 32), 8));
  EXPECT_EQ(routing::longest_match(ours.host(), wire::ipv4_address{0}), 7u);
  EXPECT_EQ(routing::longest_match(ours.host(), wire::ipv4_address{0xffff'fffe}), 7u);
  EXPECT_EQ(routing::longest_match(ours.host(), wire::ipv4_address{0xffff'ffff}), 8u);
  EXPECT_TRUE(ours.remove(lpm_prefix::of(wire::ipv4_address{}, 0)));
  EXPECT_EQ(routing::longest_match(ours.host(), wire::ipv4_address{0}), no_route);
  EXPECT_EQ(routing::longest_match(ours.host(), wire::ipv4_address{0xffff'ffff}), 8u);
}

// Entries of the root that are not zero.
std::size_t written(lpm_table const& table) {
  auto const* const root = table.host().root;
  return lpm_ref::root_size - static_cast<std::size_t>(std::count(root, root + lpm_ref::root_size, 0U));
}

TEST(lpm_table, writes_no_more_of_a_default_route_in_a_step_than_it_is_asked_to) {
  lpm_table ours{{}, groups};
  auto const everything = lpm_prefix::of(wire::ipv4_address{0}, 0);
  std::size_t entries = 0;
  ASSERT_TRUE(ours.begin_set(everything, 7));
  EXPECT_EQ(written(ours), 0u) << "to begin writes nothing";
  entries = 1000;
  EXPECT_FALSE(ours.step(entries));
  EXPECT_EQ(entries, 0u);
  EXPECT_EQ(written(ours), 1000u);
  constexpr std::size_t slice = 65536;
  std::size_t steps = 1;
  for (bool is_done = false; !is_done; ++steps) {
    entries = slice;
    is_done = ours.step(entries);
  }
  EXPECT_EQ(written(ours), lpm_ref::root_size);
  EXPECT_LE(steps, lpm_ref::root_size / slice + 2);
  ASSERT_TRUE(ours.begin_remove(everything));
  entries = slice;
  EXPECT_FALSE(ours.step(entries));
  EXPECT_EQ(written(ours), lpm_ref::root_size - slice);
  EXPECT_FALSE(ours.remove(everything)) << "and what was begun is done before another change";
  EXPECT_EQ(written(ours), 0u);
}

TEST(lpm_table, looks_at_no_more_of_the_groups_below_a_prefix_in_a_step_than_it_is_asked_to) {
  lpm_table ours{{}, groups};
  random_prefixes of;
  for (int n = 0; n < 2000; ++n) ASSERT_TRUE(ours.set(lpm_prefix::of(of.address(), 32), 5));
  ASSERT_TRUE(ours.begin_set(lpm_prefix::of(wire::ipv4_address{10U << 24}, 12), 7));
  std::size_t looked = 0, steps = 0;
  for (bool is_done = false; !is_done; ++steps) {
    std::size_t entries = 100;
    is_done = ours.step(entries);
    looked += 100 - entries;
  }
  EXPECT_GT(looked, std::size_t{4096} + 256 * 1500) << "most of the addresses have a group of their own";
  EXPECT_EQ(steps, (looked + 99) / 100);
}

TEST(lpm_table, answers_the_same_when_it_changes_in_slices) {
  lpm_table at_once{{}, groups}, in_slices{{}, groups};
  random_prefixes of;
  auto const finish = [&] {
    for (bool is_done = false; !is_done;) {
      std::size_t entries = 1 + of.random() % 500;
      is_done = in_slices.step(entries);
    }
  };
  std::vector<lpm_prefix> known;
  for (std::uint32_t n = 1; n <= 1000; ++n) {
    known.push_back(lpm_prefix::of(of.address(), of.length()));
    ASSERT_TRUE(at_once.set(known.back(), n));
    ASSERT_TRUE(in_slices.begin_set(known.back(), n));
    finish();
    auto const gone = known[of.random() % known.size()];
    if (n % 2 == 0) {
      ASSERT_EQ(at_once.remove(gone), in_slices.begin_remove(gone));
      finish();
    }
    at_once.commit(), at_once.reclaim(), in_slices.commit(), in_slices.reclaim();
    for (int m = 0; m < 20; ++m) {
      auto const to = of.address();
      ASSERT_EQ(routing::longest_match(at_once.host(), to), routing::longest_match(in_slices.host(), to));
    }
  }
  EXPECT_EQ(at_once.groups_free(), in_slices.groups_free());
}

TEST(lpm_table, refuses_what_it_has_no_groups_for_and_changes_nothing) {
  lpm_table ours{{}, 1};
  ASSERT_TRUE(ours.set(lpm_prefix::of(wire::ipv4_address{0x0a00'0001}, 32), 1));
  EXPECT_FALSE(ours.set(lpm_prefix::of(wire::ipv4_address{0x0a00'0101}, 32), 2));
  EXPECT_EQ(routing::longest_match(ours.host(), wire::ipv4_address{0x0a00'0101}), no_route);
  EXPECT_EQ(ours.size(), 1u);
  EXPECT_TRUE(ours.set(lpm_prefix::of(wire::ipv4_address{0x0a00'0002}, 32), 2)) << "in the same group";
  EXPECT_TRUE(ours.set(lpm_prefix::of(wire::ipv4_address{0x0a00'0200}, 24), 3)) << "needs none";
}

// An executor may still be on its way through a group that was just given up.
TEST(lpm_table, uses_a_group_again_only_when_told_that_nobody_reads_it) {
  lpm_table ours{{}, 1};
  auto const first = lpm_prefix::of(wire::ipv4_address{0x0a00'0001}, 32);
  auto const second = lpm_prefix::of(wire::ipv4_address{0x0b00'0001}, 32);
  ASSERT_TRUE(ours.set(first, 1));
  ASSERT_TRUE(ours.remove(first));
  EXPECT_FALSE(ours.set(second, 2));
  ours.reclaim();
  EXPECT_FALSE(ours.set(second, 2)) << "the copy may still lead there";
  ours.commit();
  ours.reclaim();
  EXPECT_TRUE(ours.set(second, 2));
}

}  // namespace
}  // namespace packetwarp

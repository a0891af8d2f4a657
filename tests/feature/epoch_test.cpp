// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "feature/epoch_record.h"
#include "feature/level.h"
#include "feature/traffic.h"

namespace packetwarp::test::features {
namespace {

using feature::level;
using enum feature::place;

// The level of the source's rate of packets, as a packet of this epoch sees it.
int rate_at(pipeline& one, std::uint64_t epoch) { return at(one.see(udp_facts(1, 2, 5, 5), epoch), source_packets); }

TEST(feature_epochs, state_is_visible_two_epochs_later) {
  for (std::uint64_t const begin : {1U, 2U, 3U, 7U, 1000U}) {
    pipeline one;
    EXPECT_EQ(rate_at(one, begin), 0);
    EXPECT_EQ(rate_at(one, begin), 0);
    EXPECT_EQ(rate_at(one, begin + 1), 0);
    EXPECT_EQ(rate_at(one, begin + 2), level(2));
    EXPECT_EQ(rate_at(one, begin + 3), level(3));
    EXPECT_EQ(rate_at(one, begin + 4), level(4));
  }
}

TEST(feature_epochs, a_late_packet_adds_to_its_own_epoch_and_sees_its_own_state) {
  pipeline one;
  EXPECT_EQ(rate_at(one, 10), 0);
  EXPECT_EQ(rate_at(one, 12), level(1));
  EXPECT_EQ(rate_at(one, 11), 0);  // after 12 has begun
  EXPECT_EQ(rate_at(one, 12), level(1));
  EXPECT_EQ(rate_at(one, 13), level(2));  // with the late one, without those of 12
  EXPECT_EQ(rate_at(one, 12), level(1));  // late, too
  EXPECT_EQ(rate_at(one, 14), level(5));
}

TEST(feature_epochs, may_jump) {
  for (std::uint64_t const jump : {1U, 2U, 3U, 4U, 5U, 100U}) {
    pipeline one;
    rate_at(one, 20);
    rate_at(one, 21);
    rate_at(one, 21);
    int const seen = jump == 1 ? 1 : 3;
    EXPECT_EQ(rate_at(one, 21 + jump), level(static_cast<std::uint64_t>(seen))) << jump;
    EXPECT_EQ(at(one.see(udp_facts(1, 2, 5, 5), 21 + jump), flow_age), level(1 + jump)) << jump;
  }
}

TEST(feature_epochs, rates_halve_at_multiples_of_256) {
  auto const after_eight = [](std::uint64_t epoch, std::uint64_t seen_at) {
    pipeline one;
    for (unsigned i = 0; i < 9; ++i) rate_at(one, epoch);
    return rate_at(one, seen_at);
  };
  EXPECT_EQ(after_eight(100, 255), level(9));
  EXPECT_EQ(after_eight(100, 256), level(4));
  EXPECT_EQ(after_eight(100, 511), level(4));
  EXPECT_EQ(after_eight(100, 512), level(2));
  EXPECT_EQ(after_eight(100, 1024), 0);
  EXPECT_EQ(after_eight(253, 255), level(9));
  EXPECT_EQ(after_eight(254, 256), level(4));  // added to that snapshot, and halved with it
  EXPECT_EQ(after_eight(255, 257), level(9));
  EXPECT_EQ(after_eight(100, std::uint64_t{1} << 40), 0);
}

TEST(feature_epochs, a_jump_is_the_same_as_every_step) {
  std::minstd_rand random{1};
  for (unsigned round = 0; round < 40; ++round) {
    std::uint64_t const begin = 1 + random() % 600;
    std::uint64_t const end = begin + 2 + random() % (round % 8 == 0 ? 40'000 : 1500);
    pipeline jumps;
    pipeline steps;
    for (std::uint16_t i = 0; i < 300; ++i) {
      auto facts = udp_facts(1, 2, 500, i);
      if (i % 3 == 0) facts = icmp_error_facts(2, 1);
      jumps.see(facts, begin + i / 200);
      steps.see(facts, begin + i / 200);
    }
    // Touching adds nothing.
    auto const keys = feature::keys_of(udp_facts(1, 2, 5, 5), key);
    for (auto epoch = begin + 2; epoch < end; ++epoch) {
      static_cast<void>(feature::find_or_insert(steps.ref().hosts, keys.source, epoch));
      static_cast<void>(feature::find_or_insert(steps.ref().hosts, keys.destination, epoch));
      static_cast<void>(feature::find_or_insert(steps.ref().flows, keys.flow, epoch));
    }
    ASSERT_EQ(jumps.see(udp_facts(1, 2, 5, 5), end), steps.see(udp_facts(1, 2, 5, 5), end)) << begin << " " << end;
  }
}

TEST(feature_epochs, sets_are_emptied_at_multiples_of_1024) {
  auto const ports_at = [](std::uint64_t epoch, std::uint64_t seen_at) {
    pipeline one;
    one.see(udp_facts(1, 2, 40000, 53), epoch);
    return at(one.see(udp_facts(1, 2, 40000, 53), seen_at), source_ports);
  };
  EXPECT_EQ(ports_at(1000, 1023), 2);
  EXPECT_EQ(ports_at(1000, 1024), 0);
  EXPECT_EQ(ports_at(1022, 1024), 0);
  EXPECT_EQ(ports_at(1023, 1025), 2);
  EXPECT_EQ(ports_at(1025, 2047), 2);
  EXPECT_EQ(ports_at(1025, 9999), 0);
}

// Member n of a slow set goes when the epoch passes the multiple of 1,024 whose number is n, mod 32.
TEST(feature_epochs, slow_sets_forget_one_member_each_1024_epochs) {
  auto const member = mix(key, std::uint64_t{53}) % 32;
  auto const ports_at = [](std::uint64_t epoch, std::uint64_t seen_at) {
    pipeline one;
    one.see(udp_facts(1, 2, 40000, 53), epoch);
    return at(one.see(udp_facts(1, 2, 40000, 53), seen_at), source_slow_ports);
  };
  auto const its_turn = (64 + member) * 1024;
  for (std::uint64_t const later : {2U, 1000U, 31U * 1024U})
    EXPECT_EQ(ports_at(its_turn, its_turn + later), 2) << later;
  EXPECT_EQ(ports_at(its_turn, its_turn + 32 * 1024 - 1), 2);
  EXPECT_EQ(ports_at(its_turn, its_turn + 32 * 1024), 0);
  EXPECT_EQ(ports_at(its_turn - 2, its_turn - 1), 0) << "not seen yet";
  EXPECT_EQ(ports_at(its_turn - 3, its_turn - 1), 2);
  EXPECT_EQ(ports_at(its_turn - 3, its_turn), 0);
  EXPECT_EQ(ports_at(its_turn, its_turn + (std::uint64_t{1} << 40)), 0);
}

TEST(feature_epochs, slow_rates_halve_at_multiples_of_8192) {
  auto const after_eight = [](std::uint64_t epoch, std::uint64_t seen_at) {
    pipeline one;
    for (unsigned i = 0; i < 8; ++i) one.see(icmp_error_facts(2, 1), epoch);
    return at(one.see(udp_facts(1, 2, 5, 5), seen_at), source_slow_refused);
  };
  EXPECT_EQ(after_eight(100, 102), level(8));
  EXPECT_EQ(after_eight(100, 8191), level(8));
  EXPECT_EQ(after_eight(100, 8192), level(4));
  EXPECT_EQ(after_eight(8190, 8192), level(4));
  EXPECT_EQ(after_eight(8191, 8193), level(8));
  EXPECT_EQ(after_eight(100, 3 * 8192), level(1));
  EXPECT_EQ(after_eight(100, std::uint64_t{1} << 40), 0);
}

TEST(feature_epochs, counts_saturate) {
  feature::flow_state flow{};
  feature::flow_adds const adds{.traffic = {0xff'ffff, ~std::uint64_t{0}},
                                .flags = ~std::uint64_t{0} >> 1,
                                .longest = 9000,
                                .shortest = 0,
                                .begun = 0,
                                .marks = 0};
  for (std::uint64_t epoch = 1; epoch <= 600; ++epoch) merge(flow, adds, epoch);
  EXPECT_EQ(flow.packets[0], 0xffff'ffffU);
  EXPECT_EQ(flow.packets[1], 0xffff'ffffU);
  EXPECT_EQ(flow.bytes[0], 0u);
  EXPECT_EQ(flow.bytes[1], 0xffff'ffffU);
  EXPECT_EQ(flow.rate, 0xffff'ffffU);
  EXPECT_EQ(flow.syn, 0xffff);
  EXPECT_EQ(flow.fin, 0xffff);
  EXPECT_EQ(flow.rst, 0xffff);
  EXPECT_EQ(flow.first, 1u);
  EXPECT_EQ(flow.last, 600u);
  feature::host_side_state host{};
  feature::host_side_adds const more{
      .traffic = ~std::uint64_t{0}, .kinds = ~std::uint64_t{0} >> 1, .icmp_errors = 1U << 31, .ports = 0, .peers = 0};
  for (unsigned i = 0; i < 3000; ++i) merge(host, more);
  feature::host_slow_state slow{.sent_ports = 0, .sent_peers = 0, .got_ports = 0, .got_refusals = 0};
  for (unsigned i = 0; i < 3000; ++i) merge(slow, feature::host_adds{.sent = {}, .got = more});
  EXPECT_EQ(slow.got_refusals, 0xffff'ffffU);
  for (auto const count : {host.packets, host.bytes, host.syn, host.rst, host.flows, host.icmp_errors}) {
    EXPECT_EQ(count, 0xffff'ffffU);
  }
}

struct timed_packet {
  feature::packet_facts facts;
  std::uint64_t epoch;
};

std::vector<timed_packet> random_traffic(std::minstd_rand& random) {
  std::vector<timed_packet> packets;
  std::uint64_t epoch = 200 + random() % 1000;
  for (unsigned i = 0; i < 2000; ++i) {
    auto facts = udp_facts(static_cast<std::uint32_t>(1 + random() % 4), static_cast<std::uint32_t>(1 + random() % 4),
                           static_cast<std::uint16_t>(random() % 5), static_cast<std::uint16_t>(random() % 5),
                           static_cast<std::uint32_t>(60 + random() % 1400));
    if (random() % 2 == 0) {
      facts.kind = feature::transport::tcp;
      facts.protocol = 6;
      facts.tcp_flags = static_cast<std::uint8_t>(random() % 64);
    }
    packets.push_back({facts, epoch});
    constexpr std::uint64_t steps[]{1, 1, 1, 2, 3, 50, 300};
    if (random() % 10 == 0) epoch += steps[random() % std::size(steps)];
  }
  return packets;
}

// Positions of the packets in an order in which a packet comes before others of its epoch and the one before.
std::vector<std::size_t> another_order(std::vector<timed_packet> const& packets, std::minstd_rand& random) {
  std::vector<std::size_t> order;
  std::vector<std::size_t> waiting;
  std::size_t next = 0;
  while (order.size() < packets.size()) {
    std::uint64_t oldest = ~std::uint64_t{0};
    for (auto const i : waiting) oldest = std::min(oldest, packets[i].epoch);
    while (next < packets.size() && (waiting.empty() || packets[next].epoch <= oldest + 1)) {
      oldest = std::min(oldest, packets[next].epoch);
      waiting.push_back(next++);
    }
    auto const taken = waiting.begin() + static_cast<std::ptrdiff_t>(random() % waiting.size());
    order.push_back(*taken);
    waiting.erase(taken);
  }
  return order;
}

// The bytes of each record, by its key.
template <class Record>
std::map<std::uint64_t, std::string> records_of(feature::table_ref<Record> const& table) {
  std::map<std::uint64_t, std::string> found;
  for (std::size_t place = 0; place < 4 * (table.bucket_mask + 1); ++place) {
    if (table.keys[place] == 0) continue;
    std::string bytes(sizeof(Record), '\0');
    std::memcpy(bytes.data(), &table.records[place], sizeof(Record));
    found[table.keys[place]] = bytes;
  }
  return found;
}

TEST(feature_epochs, the_order_of_packets_changes_no_row_and_no_state) {
  std::minstd_rand random{7};
  for (unsigned round = 0; round < 20; ++round) {
    auto const packets = random_traffic(random);
    pipeline straight;
    std::vector<row> wanted;
    for (auto const& one : packets) wanted.push_back(straight.see(one.facts, one.epoch));
    pipeline mixed;
    for (auto const i : another_order(packets, random)) {
      ASSERT_EQ(mixed.see(packets[i].facts, packets[i].epoch), wanted[i]) << "round " << round << ", packet " << i;
    }
    EXPECT_EQ(records_of(mixed.ref().flows), records_of(straight.ref().flows));
    EXPECT_EQ(records_of(mixed.ref().hosts), records_of(straight.ref().hosts));
  }
}

}  // namespace
}  // namespace packetwarp::test::features

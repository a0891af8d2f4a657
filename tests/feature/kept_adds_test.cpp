// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Counts for hosts that a thread keeps until a group of packets ends make the records that counts added at once make.
#include "feature/kept_adds.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>

#include "feature/traffic.h"
#include "wire/tcp.h"

namespace packetwarp::test::features {
namespace {

[[nodiscard]] std::span<std::byte const> records_of(feature::state_ref const& state) {
  return std::as_bytes(std::span{state.hosts.records, 4 * (state.hosts.bucket_mask + 1)});
}

class kept_counts : public ::testing::Test {
 protected:
  // Both states see it.
  void see(feature::packet_facts const& facts) {
    row kept_row;
    kept_row.fill(-1);
    auto by_group = grouped_.ref();
    by_group.kept = &kept_;
    feature::observe(facts, epoch_, by_group, kept_row.data());
    ASSERT_EQ(kept_row, at_once_.see(facts, epoch_));
  }
  void end_group() { kept_.add_all(); }
  void end_epoch() { ++epoch_; }
  void expect_same_records() const {
    auto const seen = records_of(grouped_.ref()), wanted = records_of(at_once_.ref());
    ASSERT_EQ(std::memcmp(seen.data(), wanted.data(), wanted.size()), 0) << "epoch " << epoch_;
  }

 private:
  feature::kept_adds kept_;
  pipeline grouped_, at_once_;
  std::uint64_t epoch_{1};
};

[[nodiscard]] feature::packet_facts random_packet(std::minstd_rand& random, std::uint32_t hosts) {
  auto const from = 1 + static_cast<std::uint32_t>(random()) % hosts,
             to = 1 + static_cast<std::uint32_t>(random()) % hosts;
  if (random() % 8 == 0) return icmp_error_facts(from, to);
  auto facts = udp_facts(from, to, static_cast<std::uint16_t>(random() % 40), static_cast<std::uint16_t>(random() % 40),
                         60 + static_cast<std::uint32_t>(random()) % 1400);
  if (random() % 2 == 0) {
    facts.protocol = 6;
    facts.kind = feature::transport::tcp;
    facts.tcp_flags = static_cast<std::uint8_t>(random() % 64);
  }
  return facts;
}

// 400 hosts have more sides than a thread keeps.
TEST_F(kept_counts, make_the_same_records_and_rows) {
  std::minstd_rand random{7};
  for (std::uint32_t const hosts : {1U, 3U, 40U, 400U}) {
    for (unsigned group = 0; group < 300; ++group) {
      for (auto left = random() % 40; left != 0; --left) see(random_packet(random, hosts));
      end_group();
      expect_same_records();
      if (random() % 3 == 0) end_epoch();
    }
  }
}

TEST_F(kept_counts, are_added_once) {
  for (unsigned i = 0; i < 5; ++i) see(udp_facts(1, 2, 1000, 53));
  end_group();
  end_group();
  expect_same_records();
}

}  // namespace
}  // namespace packetwarp::test::features

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/capture_buffer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "fixtures/mbufs.h"

namespace packetwarp {
namespace {

using test::bytes_of;

[[nodiscard]] std::vector<std::byte> some_frame(std::size_t size) {
  std::vector<std::byte> frame(size);
  for (std::size_t i = 0; i < size; ++i) frame[i] = static_cast<std::byte>(i * 7 + size);
  return frame;
}

[[nodiscard]] std::vector<std::byte> all_of(capture_buffer::reader bytes) {
  std::vector<std::byte> all;
  for (auto some = bytes.next(); !some.empty(); some = bytes.next()) all.insert(all.end(), some.begin(), some.end());
  return all;
}

class capture_buffer_test : public testing::Test {
 protected:
  capture_buffer_test() { buffer_.fault_in(); }
  packet_pool pool_{test::small_pool("capture_buffer", 511, 256)};
  capture_buffer buffer_{1 << 20};
};

TEST_F(capture_buffer_test, keeps_packets_of_all_lengths_in_one_segment_or_many) {
  std::vector<std::size_t> const sizes{1, 60, 256, 257, 463, 464, 465, 1500, 9000, 20000};
  for (auto const size : sizes) {
    auto* const packet = test::make_packet(pool_, some_frame(size));
    auto const length = static_cast<std::uint32_t>(size);
    EXPECT_TRUE(buffer_.put({.where = {}, .when = size, .length = length, .captured = length}, *packet));
    rte_pktmbuf_free(packet);
  }
  std::vector<std::size_t> found;
  auto const take = [&](captured_packet const& about, capture_buffer::reader bytes) {
    found.push_back(about.when);
    EXPECT_EQ(all_of(bytes), some_frame(about.length));
  };
  EXPECT_EQ(buffer_.take(3, take), 3u);
  EXPECT_EQ(buffer_.take(100, take), sizes.size() - 3);
  EXPECT_EQ(buffer_.take(100, take), 0u);
  EXPECT_EQ(found, sizes);
}

TEST_F(capture_buffer_test, keeps_the_beginning_of_a_packet) {
  auto* const packet = test::make_packet(pool_, some_frame(2000));
  EXPECT_TRUE(buffer_.put({.where = {}, .when = 0, .length = 2000, .captured = 700}, *packet));
  EXPECT_TRUE(buffer_.put({.where = {}, .when = 0, .length = 2000, .captured = 0}, *packet));
  rte_pktmbuf_free(packet);
  std::vector<std::size_t> found;
  (void)buffer_.take(2, [&](captured_packet const&, capture_buffer::reader bytes) {
    auto const all = all_of(bytes);
    auto const frame = some_frame(2000);
    EXPECT_TRUE(std::equal(all.begin(), all.end(), frame.begin()));
    found.push_back(all.size());
  });
  EXPECT_EQ(found, (std::vector<std::size_t>{700, 0}));
}

TEST_F(capture_buffer_test, refuses_what_has_no_room_and_has_room_again) {
  auto* const packet = test::make_packet(pool_, some_frame(1000));
  for (int round = 0; round < 3; ++round) {
    std::size_t kept = 0;
    while (buffer_.put({.where = {}, .when = 0, .length = 1000, .captured = 1000}, *packet)) ++kept;
    EXPECT_EQ(kept, (1u << 20) / capture_buffer::chunk_bytes / 3) << "three chunks each, and none is ever lost";
    EXPECT_EQ(buffer_.take(1u << 20, [](auto const&, auto const&) {}), kept);
  }
  rte_pktmbuf_free(packet);
}

TEST_F(capture_buffer_test, loses_nothing_between_threads) {
  constexpr unsigned threads = 3;
  constexpr std::uint64_t each = 5000;
  std::atomic<unsigned> running{threads};
  std::vector<std::jthread> workers;
  for (unsigned id = 0; id < threads; ++id) {
    auto* const packet = test::make_packet(pool_, some_frame(500 + id));
    workers.emplace_back([this, packet, id, &running] {
      // A copy without room is tried again: the numbers that come out have no gaps.
      for (std::uint64_t n = 0; n < each;) {
        if (buffer_.put({.where = {.stage = {}, .port = static_cast<std::uint16_t>(id), .why = {}},
                         .when = n,
                         .length = packet->pkt_len,
                         .captured = packet->pkt_len},
                        *packet)) {
          ++n;
        } else {
          std::this_thread::yield();
        }
      }
      rte_pktmbuf_free(packet);
      --running;
    });
  }
  std::array<std::uint64_t, threads> next{};
  auto const take = [&](captured_packet const& about, capture_buffer::reader bytes) {
    auto const id = about.where.port;
    EXPECT_EQ(about.when, next[id]++) << "of one thread in order";
    EXPECT_EQ(all_of(bytes), some_frame(500 + id));
  };
  while (running != 0) (void)buffer_.take(64, take);
  workers.clear();
  while (buffer_.take(64, take) != 0) continue;
  for (auto const n : next) EXPECT_EQ(n, each);
}

}  // namespace
}  // namespace packetwarp

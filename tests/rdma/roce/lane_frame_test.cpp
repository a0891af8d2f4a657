// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Frames and ICRCs by the 32 lanes of a warp, as a kernel makes them, are those of write_frame().
#include "rdma/roce/lane_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "looped_requester.h"
#include "rdma/roce/frame_order.h"
#include "rdma/roce/lane_icrc.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr frame_path path{.source_mac = wire::mac_address::from_number(0x0200'0000'0011),
                          .destination_mac = wire::mac_address::from_number(0x0200'0000'0022),
                          .source = {0x0a09'0001},
                          .destination = {0x0a09'0002},
                          .port = 0xc123};

using test::make_by_lanes;
using test::make_tables;

[[nodiscard]] frame_order order_of(frame_plan const& plan, std::byte* at) {
  return {.at = reinterpret_cast<std::uint64_t>(at),
          .payload = reinterpret_cast<std::uint64_t>(plan.payload),
          .address = plan.fields.address,
          .rkey = plan.fields.rkey,
          .length = plan.fields.length,
          .code_and_queue = std::uint32_t{static_cast<std::uint8_t>(plan.fields.code)} << 24 |
                            (plan.fields.queue_number & 0xff'ffffU),
          .asks_and_psn = std::uint32_t{plan.fields.asks_acknowledgement} << 31 | (plan.fields.psn & psn_mask),
          .bytes = static_cast<std::uint16_t>(plan.bytes),
          .port = plan.path.port,
          .source_mac = plan.path.source_mac,
          .destination_mac = plan.path.destination_mac,
          .source = plan.path.source,
          .destination = plan.path.destination};
}

class frames_by_lanes : public testing::Test {
 protected:
  frames_by_lanes() : tables{make_tables()}, payload(8192) {
    std::mt19937_64 random{7};
    for (auto& byte : payload) byte = static_cast<std::byte>(random());
  }
  // Compares the frame of a plan, and that nothing is written beyond the last 16 bytes of it.
  void expect_a_cpus(opcode code, std::uint32_t at, std::uint32_t bytes) {
    frame_plan const plan{.path = path,
                          .fields = {.code = code,
                                     .queue_number = 0xabcdef,
                                     .asks_acknowledgement = static_cast<std::uint8_t>(bytes % 2),
                                     .psn = 0xff'0000 + bytes,
                                     .address = 0x1122'3344'5566'7788,
                                     .rkey = 0x5a,
                                     .length = bytes * 3},
                          .payload = payload.data() + at,
                          .bytes = bytes};
    alignas(16) std::array<std::byte, frame_room + 64> room;
    room.fill(std::byte{0xee});
    make_by_lanes(order_of(plan, room.data() + frame_lead), *tables);
    std::vector<std::byte> expected(plan.length());
    write_frame(expected.data(), plan.path, plan.fields, plan.payload, plan.bytes);
    ASSERT_EQ(std::memcmp(room.data() + frame_lead, expected.data(), expected.size()), 0) << at << " " << bytes;
    auto const end = (frame_lead + expected.size() + 15) / 16 * 16;
    for (auto i = end; i < room.size(); ++i) ASSERT_EQ(room[i], std::byte{0xee}) << bytes;
  }

  // The same of a frame in two pieces: the second one goes on where the first one ends, and nothing else is written.
  void expect_two_pieces(opcode code, std::uint32_t at, std::uint32_t bytes) {
    frame_plan const plan{.path = path, .fields = {.code = code}, .payload = payload.data() + at, .bytes = bytes};
    constexpr auto first = frame_lead + first_piece_bytes;
    alignas(16) std::array<std::byte, first + 48> firsts;
    alignas(16) std::array<std::byte, frame_room + 64> rests;
    firsts.fill(std::byte{0xee});
    rests.fill(std::byte{0xee});
    make_by_lanes(order_of(plan, firsts.data() + frame_lead), *tables, reinterpret_cast<std::uint64_t>(rests.data()));
    std::vector<std::byte> expected(plan.length());
    write_frame(expected.data(), plan.path, plan.fields, plan.payload, plan.bytes);
    auto const in_first = std::min<std::size_t>(expected.size(), first_piece_bytes);
    ASSERT_EQ(std::memcmp(firsts.data() + frame_lead, expected.data(), in_first), 0) << at << " " << bytes;
    ASSERT_EQ(std::memcmp(rests.data(), expected.data() + in_first, expected.size() - in_first), 0) << bytes;
    for (auto i = first; i < firsts.size(); ++i) ASSERT_EQ(firsts[i], std::byte{0xee}) << bytes;
    auto const end = (expected.size() - in_first + 15) / 16 * 16;
    for (auto i = end; i < rests.size(); ++i) ASSERT_EQ(rests[i], std::byte{0xee}) << bytes;
  }

  std::shared_ptr<lane_tables const> tables;
  std::vector<std::byte> payload;
};

TEST_F(frames_by_lanes, in_two_pieces_are_a_cpus_cut_after_the_headers) {
  for (auto const code : {opcode::write_first, opcode::write_middle, opcode::write_last, opcode::write_only}) {
    for (std::uint32_t bytes = 1; bytes <= 300; ++bytes) expect_two_pieces(code, bytes % 16, bytes);
    for (std::uint32_t const bytes : {1023U, 1024U, 2048U, 4095U, 4096U}) expect_two_pieces(code, 16, bytes);
  }
}

TEST_F(frames_by_lanes, are_a_cpus_for_every_size) {
  for (std::uint32_t bytes = 0; bytes <= 300; ++bytes) expect_a_cpus(opcode::write_only, 0, bytes);
  for (std::uint32_t const bytes : {1023U, 1024U, 2048U, 4095U, 4096U}) expect_a_cpus(opcode::write_only, 16, bytes);
}

TEST_F(frames_by_lanes, are_a_cpus_wherever_the_payload_begins) {
  for (std::uint32_t at = 0; at < 24; ++at) {
    for (std::uint32_t const bytes : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 63U, 64U, 65U, 257U, 1024U, 4093U})
      expect_a_cpus(opcode::write_only, at, bytes);
  }
}

TEST_F(frames_by_lanes, are_a_cpus_for_every_request) {
  for (auto const code : {opcode::write_first, opcode::write_middle, opcode::write_last, opcode::write_only}) {
    for (std::uint32_t const bytes : {1U, 256U, 1024U, 4096U}) expect_a_cpus(code, 8, bytes);
  }
}

// AddressSanitizer tells of a read beyond a payload that ends where its memory does.
TEST(payload_word, is_of_the_payload_alone) {
  for (std::uint32_t at = 0; at < 8; ++at) {
    for (std::uint32_t bytes = 1; bytes <= 40; ++bytes) {
      std::vector<std::byte> memory(at + bytes);
      for (std::uint32_t n = 0; n < bytes; ++n) memory[at + n] = static_cast<std::byte>(n + 1);
      memory.shrink_to_fit();
      for (std::uint32_t i = 0; i < (bytes + 3) / 4; ++i) {
        std::uint32_t expected = 0;
        std::memcpy(&expected, &memory[at + 4 * i], std::min(4U, bytes - 4 * i));
        EXPECT_EQ(payload_word(reinterpret_cast<std::uint64_t>(&memory[at]), bytes, i), expected)
            << at << " " << bytes << " " << i;
      }
    }
  }
}

TEST(lane_icrc, masks_the_bytes_that_vary_on_the_way) {
  for (std::uint32_t i = 0; i < ip_and_bth; ++i)
    EXPECT_EQ((varying_bits(i / 4) >> 8 * (i % 4) & 0xff) != 0, varies_on_the_way(i)) << i;
}

TEST(lane_icrc, begins_with_the_crc_of_eight_ones) {
  std::uint32_t crc = 0xffff'ffff;
  for (int i = 0; i < 8; ++i) crc = crc_of_byte(crc, 0xff);
  EXPECT_EQ(crc, crc_of_ones);
}

}  // namespace
}  // namespace packetwarp::rdma::roce

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/packet.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string_view>
#include <vector>

#include "rdma/roce/icrc.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr opcode every_opcode[] = {opcode::write_first, opcode::write_middle, opcode::write_last, opcode::write_only,
                                   opcode::acknowledge};

TEST(roce_packet, fields_are_read_as_they_were_written) {
  std::mt19937_64 random{5};
  for (int round = 0; round < 2000; ++round) {
    packet_fields const made{.code = every_opcode[random() % 5],
                             .padding = static_cast<std::uint8_t>(random() % 4),
                             .partition = static_cast<std::uint16_t>(random()),
                             .queue_number = static_cast<std::uint32_t>(random() & 0xff'ffff),
                             .asks_acknowledgement = static_cast<std::uint8_t>(random() % 2),
                             .psn = static_cast<std::uint32_t>(random() & 0xff'ffff),
                             .address = random(),
                             .rkey = static_cast<std::uint32_t>(random()),
                             .length = static_cast<std::uint32_t>(random()),
                             .syndrome = static_cast<std::uint8_t>(random()),
                             .message_number = static_cast<std::uint32_t>(random() & 0xff'ffff)};
    auto const payload = random() % 50;
    std::vector<std::byte> packet(header_bytes(made.code) + payload + made.padding + icrc_bytes);
    write_headers(packet.data(), made);
    auto const found = parse_packet(packet.data(), packet.size());
    ASSERT_EQ(found.result, parse_result::ok);
    EXPECT_EQ(found.payload, payload);
    EXPECT_EQ(found.payload_at, header_bytes(made.code));
    EXPECT_EQ(found.fields.code, made.code);
    EXPECT_EQ(found.fields.padding, made.padding);
    EXPECT_EQ(found.fields.partition, made.partition);
    EXPECT_EQ(found.fields.queue_number, made.queue_number);
    EXPECT_EQ(found.fields.asks_acknowledgement, made.asks_acknowledgement);
    EXPECT_EQ(found.fields.psn, made.psn);
    EXPECT_EQ(found.fields.address, has_reth(made.code) ? made.address : 0);
    EXPECT_EQ(found.fields.rkey, has_reth(made.code) ? made.rkey : 0);
    EXPECT_EQ(found.fields.length, has_reth(made.code) ? made.length : 0);
    EXPECT_EQ(found.fields.syndrome, has_aeth(made.code) ? made.syndrome : 0);
    EXPECT_EQ(found.fields.message_number, has_aeth(made.code) ? made.message_number : 0);
    // Each shorter datagram that cannot hold the headers, the padding and the ICRC is refused.
    for (std::size_t bytes = 0; bytes < packet.size() - payload; ++bytes)
      ASSERT_EQ(parse_packet(packet.data(), bytes).result, parse_result::too_short) << bytes;
  }
}

TEST(roce_packet, other_opcodes_and_versions_are_refused) {
  std::array<std::byte, 64> packet{};
  unsigned known = 0;
  for (unsigned code = 0; code < 256; ++code) {
    packet[0] = static_cast<std::byte>(code);
    known += parse_packet(packet.data(), packet.size()).result == parse_result::ok ? 1U : 0U;
  }
  constexpr unsigned refused = 13;  // requests that get a NAK
  EXPECT_EQ(known, std::size(every_opcode) + refused);
  for (unsigned const code : {0x2aU, 0x4aU, 0x64U, 0xaaU}) {  // UC, reliable and unreliable datagrams, XRC
    packet[0] = static_cast<std::byte>(code);
    EXPECT_EQ(parse_packet(packet.data(), packet.size()).result, parse_result::another_type) << code;
  }
  for (unsigned const code : {0x0dU, 0x81U, 0xc0U, 0xffU}) {  // 0x81: a notification of congestion
    packet[0] = static_cast<std::byte>(code);
    EXPECT_EQ(parse_packet(packet.data(), packet.size()).result, parse_result::unknown_opcode) << code;
  }
  packet[0] = static_cast<std::byte>(opcode::write_only);
  packet[1] = std::byte{1};
  EXPECT_EQ(parse_packet(packet.data(), packet.size()).result, parse_result::wrong_version);
}

TEST(roce_packet, say_that_their_connection_has_migrated) {
  std::array<std::byte, bth_bytes + reth_bytes> packet{};
  for (auto const code : every_opcode) {
    write_headers(packet.data(), {.code = code, .padding = 3});
    EXPECT_EQ(packet[1], std::byte{0x70});
  }
}

TEST(roce_packet, sequence_numbers_wrap) {
  static_assert(psn_distance(0, 0xff'ffff) == 1 && psn_distance(0xff'ffff, 0) == -1);
  static_assert(psn_distance(0x7f'ffff, 0) == 0x7f'ffff && psn_distance(0x80'0000, 0) == -0x80'0000);
}

TEST(roce_icrc, is_crc_32) {
  // The check value of CRC-32/ISO-HDLC.
  std::uint32_t crc = 0xffff'ffff;
  for (char const digit : std::string_view{"123456789"}) crc = crc_of_byte(crc, static_cast<std::uint8_t>(digit));
  EXPECT_EQ(~crc, 0xcbf4'3926U);
}

TEST(roce_icrc, of_many_bytes_is_that_of_one_after_the_other) {
  std::mt19937_64 random{7};
  std::vector<std::byte> bytes(200);
  for (std::size_t count = 0; count <= bytes.size(); ++count) {
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    auto const before = static_cast<std::uint32_t>(random());
    auto crc = before;
    for (std::size_t i = 0; i < count; ++i) crc = crc_of_byte(crc, static_cast<std::uint32_t>(bytes[i]));
    ASSERT_EQ(crc_of_bytes(before, bytes.data(), count), crc) << count;
  }
}

TEST(roce_icrc, by_multiplication_is_that_of_one_byte_after_the_other) {
  std::mt19937_64 random{9};
  std::vector<std::byte> packet(4300 + 3);
  for (auto& byte : packet) byte = static_cast<std::byte>(random());
  for (std::size_t count = ip_and_bth; count <= 4300; count += count < 400 ? 1 : 37) {
    auto const* const at = packet.data() + count % 4;
    std::uint32_t crc = 0xffff'ffff;
    for (int i = 0; i < 8; ++i) crc = crc_of_byte(crc, 0xff);
    for (std::size_t i = 0; i < count; ++i)
      crc = crc_of_byte(crc, varies_on_the_way(i) ? 0xff : static_cast<std::uint32_t>(at[i]));
    ASSERT_EQ(folded_icrc_of_ipv4(at, count), ~crc) << count;
    ASSERT_EQ(sliced_icrc_of_ipv4(at, count), ~crc) << count;
  }
}

TEST(roce_icrc, changes_with_each_bit_that_routers_do_not_change) {
  std::array<std::byte, 60> packet{};
  auto const sum = icrc_of_ipv4(packet.data(), packet.size());
  for (std::size_t at = 0; at < packet.size(); ++at) {
    bool const varies = at == 1 || at == 8 || at == 10 || at == 11 || at == 26 || at == 27 || at == 32;
    for (int bit = 0; bit < 8; ++bit) {
      packet[at] ^= std::byte{1} << bit;
      EXPECT_EQ(icrc_of_ipv4(packet.data(), packet.size()) == sum, varies) << at;
      packet[at] ^= std::byte{1} << bit;
    }
  }
}

}  // namespace
}  // namespace packetwarp::rdma::roce

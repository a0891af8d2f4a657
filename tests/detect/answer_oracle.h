// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "wire/parse.h"

// The expected answer to a packet, written byte by byte: of src/wire it has the parser alone.
namespace packetwarp::test {

struct answer_fate {
  enum class kind : std::uint8_t { answered, not_asked, refused };
  kind what{};
  std::uint16_t reason{};  // refused: 0 fragment, 1 header, 2 address, 3 answer
};

namespace answer_parts {

[[nodiscard]] inline unsigned byte_at(std::span<std::byte const> bytes, std::size_t at) {
  return std::to_integer<unsigned>(bytes[at]);
}
[[nodiscard]] inline unsigned word_at(std::span<std::byte const> bytes, std::size_t at) {
  return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}
inline void put_word(std::span<std::byte> bytes, std::size_t at, unsigned word) {
  bytes[at] = static_cast<std::byte>(word >> 8);
  bytes[at + 1] = static_cast<std::byte>(word & 0xff);
}

// Writes a word, and lets the checksum at `sum_at` follow (RFC 1624, equation 3).
inline void change_word(std::span<std::byte> bytes, std::size_t at, unsigned word, std::size_t sum_at) {
  unsigned sum = (~word_at(bytes, sum_at) & 0xffffU) + (~word_at(bytes, at) & 0xffffU) + word;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  put_word(bytes, at, word);
  put_word(bytes, sum_at, ~sum & 0xffffU);
}

inline void swap(std::span<std::byte> bytes, std::size_t at, std::size_t length) {
  std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   bytes.begin() + static_cast<std::ptrdiff_t>(at + length),
                   bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
}

[[nodiscard]] inline bool is_host(std::span<std::byte const> address) {
  bool const is_zero = std::all_of(address.begin(), address.end(), [](std::byte one) { return one == std::byte{0}; });
  auto const first = byte_at(address, 0);
  return !is_zero && (address.size() == 4 ? first < 224 : first != 255);
}

inline void put_record(std::span<std::byte> bytes, wire::layers const& found, std::int64_t excess) {
  std::size_t const at = found.payload_offset;
  if (found.l4 != wire::l4_kind::udp || at + 8 + 16 > found.end || at + 8 > 60 || at + 8 > bytes.size()) return;
  auto const fitting = std::clamp<std::int64_t>(excess, std::numeric_limits<std::int32_t>::min(),
                                                std::numeric_limits<std::int32_t>::max());
  auto const number = static_cast<std::uint32_t>(static_cast<std::int32_t>(fitting));
  std::size_t const sum_at = found.l4_offset + std::size_t{6};
  bool const has_sum = word_at(bytes, sum_at) != 0;
  unsigned const words[]{0x5077, 0x4131, number >> 16, number & 0xffff};
  for (std::size_t n = 0; n < 4; ++n) change_word(bytes, at + 2 * n, words[n], sum_at);
  if (!has_sum) put_word(bytes, sum_at, 0);
  if (has_sum && word_at(bytes, sum_at) == 0) put_word(bytes, sum_at, 0xffff);
}

}  // namespace answer_parts

[[nodiscard]] inline answer_fate why_refused(std::span<std::byte const> first, wire::layers const& found) {
  using namespace answer_parts;
  using enum answer_fate::kind;
  bool const is_ipv4 = found.l3 == wire::l3_kind::ipv4;
  if (!is_ipv4 && found.l3 != wire::l3_kind::ipv6) return {not_asked};
  if (found.error != wire::parse_error::none) return {refused, 1};
  if (found.fragment != wire::fragment_kind::whole) return {refused, 0};
  if (found.l4 == wire::l4_kind::icmpv6 && byte_at(first, found.l4_offset) >= 133 &&
      byte_at(first, found.l4_offset) <= 137) {
    return {not_asked};
  }
  std::size_t const address_length = is_ipv4 ? 4 : 16;
  std::size_t const source_at = found.l3_offset + (is_ipv4 ? std::size_t{12} : std::size_t{8});
  bool const hosts = is_host(first.subspan(source_at, address_length)) &&
                     is_host(first.subspan(source_at + address_length, address_length));
  if (!hosts || (byte_at(first, 0) & 1) != 0 || (byte_at(first, 6) & 1) != 0) return {refused, 2};
  auto const dscp = word_at(first, found.l3_offset) >> (is_ipv4 ? 2 : 6) & 63;
  if (dscp == 3 || dscp == 7) return {refused, 3};
  return {answered};
}

// Turns the packet, whose first piece is given, into its answer. length: of the whole frame.
[[nodiscard]] inline answer_fate expected_answer(std::span<std::byte> first, std::uint32_t length,
                                                 std::int64_t excess) {
  using namespace answer_parts;
  auto const found = wire::parse(first.data(), first.size(), length);
  auto const fate = why_refused(first, found);
  if (fate.what != answer_fate::kind::answered) return fate;
  bool const is_ipv4 = found.l3 == wire::l3_kind::ipv4;
  std::size_t const ip = found.l3_offset;
  swap(first, 0, 6);
  swap(first, ip + (is_ipv4 ? 12 : 8), is_ipv4 ? 4 : 16);
  if (found.l4 == wire::l4_kind::udp || found.l4 == wire::l4_kind::tcp) swap(first, found.l4_offset, 2);
  unsigned const dscp = excess > 0 ? 7 : 3;
  if (is_ipv4) {
    change_word(first, ip, (word_at(first, ip) & 0xff03U) | dscp << 2, ip + 10);
  } else {
    put_word(first, ip, (word_at(first, ip) & 0xf03fU) | dscp << 6);
  }
  put_record(first, found, excess);
  return fate;
}

}  // namespace packetwarp::test

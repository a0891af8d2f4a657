// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "wire/address.h"

namespace packetwarp::rdma {

// A queue pair and its memory, as perftest's programs tell them to each other: a text of 108 bytes with a zero byte at
// its end, "lid:outstanding reads:QPN:PSN:rkey:address:GID:SRQ number:", in hexadecimal digits.
struct queue_key {
  static constexpr std::size_t text_bytes = 108;

  std::uint32_t number{};  // QPN
  std::uint32_t psn{};     // of the first packet that this side sends
  std::uint32_t rkey{};
  std::uint64_t address{};
  std::array<std::uint8_t, 16> gid{};

  friend bool operator==(queue_key const&, queue_key const&) = default;
};

[[nodiscard]] std::array<char, queue_key::text_bytes> to_text(queue_key const& key);
// Nothing if the text is not of that form, or a number has too many bits.
[[nodiscard]] std::optional<queue_key> parse_queue_key(std::string_view text);

// The GID of an IPv4 address, ::ffff:a.b.c.d, and back; nothing for another GID.
[[nodiscard]] std::array<std::uint8_t, 16> gid_of(wire::ipv4_address address);
[[nodiscard]] std::optional<wire::ipv4_address> ipv4_of(std::array<std::uint8_t, 16> const& gid);
// "fe80:0000:...": for error lines.
[[nodiscard]] std::string to_text(std::array<std::uint8_t, 16> const& gid);

// The version that a perftest announces, such as "6.06", times 100; nothing if it is none.
[[nodiscard]] std::optional<unsigned> parse_version(std::string_view text);
// The MTU of a code that perftest sends, "1" for 256 to "5" for 4096; nothing if it is none.
[[nodiscard]] std::optional<std::uint32_t> parse_mtu_code(std::string_view text);

}  // namespace packetwarp::rdma

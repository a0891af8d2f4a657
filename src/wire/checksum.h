// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/host_device.h"
#include "wire/address.h"
#include "wire/ip_protocol.h"

namespace packetwarp::wire {

// Folds a sum of 16-bit words, or of 32-bit words that hold two each, into 16 bits with end-around carry (RFC 1071, 1).
// The sum of a number and the same number with its halves swapped has, in its upper half, the sum of the halves with
// the carry.
[[nodiscard]] HOST_DEVICE constexpr std::uint16_t fold_sum(std::uint64_t sum) noexcept {
  sum += sum << 32 | sum >> 32;
  auto half = static_cast<std::uint32_t>(sum >> 32);
  half += half << 16 | half >> 16;
  return static_cast<std::uint16_t>(half >> 16);
}

[[nodiscard]] HOST_DEVICE constexpr std::uint16_t swap_bytes(std::uint16_t word) noexcept {
  return static_cast<std::uint16_t>(word << 8 | word >> 8);
}

namespace detail {
// The one's complement sum of four words at a time; each addition's carry is added back. For fold_sum().
constexpr std::uint64_t sum_in_machine_order(std::byte const* bytes, std::size_t length) noexcept {
  std::uint64_t sum = 0;
  auto const add = [&sum, bytes]<class Words>(Words words, std::size_t at, std::size_t size) {
    std::memcpy(&words, bytes + at, size);
    sum += words;
    sum += sum < words ? 1U : 0U;
  };
  std::size_t at = 0;
  for (; at + 8 <= length; at += 8) add(std::uint64_t{0}, at, 8);
  if ((length & 4) != 0) {
    add(std::uint32_t{0}, at, 4);
    at += 4;
  }
  if ((length & 2) != 0) {
    add(std::uint16_t{0}, at, 2);
    at += 2;
  }
  if ((length & 1) != 0) add(std::uint8_t{0}, at, 1);
  return sum;
}
}  // namespace detail

// A running one's complement sum (RFC 1071). Holds 2^32 words of 16 or 32 bits without overflow: any packet and its
// pseudo header.
class internet_sum {
 public:
  HOST_DEVICE constexpr internet_sum& add16(std::uint16_t word) noexcept {
    sum_ += word;
    return *this;
  }
  // Adds two words at once (RFC 1071, 2 (C)).
  HOST_DEVICE constexpr internet_sum& add32(std::uint32_t words) noexcept {
    sum_ += words;
    return *this;
  }

  HOST_DEVICE constexpr internet_sum& add64(std::uint64_t words) noexcept {
    return add32(static_cast<std::uint32_t>(words >> 32)).add32(static_cast<std::uint32_t>(words));
  }

  // Adds bytes that start at an even offset of the summed bytes. An odd last byte is padded with zero, so only the last
  // piece may be odd.
  HOST_DEVICE constexpr internet_sum& add(std::byte const* bytes, std::size_t length) noexcept {
#if !defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) return add_in_machine_order(bytes, length);
#endif
    std::size_t i = 0;
    for (; i + 1 < length; i += 2) sum_ += load_be<std::uint16_t>(bytes + i);
    if (i < length) sum_ += static_cast<std::uint64_t>(bytes[i]) << 8;
    return *this;
  }

  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t folded() const noexcept { return fold_sum(sum_); }

  // The value for a checksum field that was zero, or left out, while summing.
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t checksum() const noexcept {
    return static_cast<std::uint16_t>(~folded());
  }

  // Whether the sum, with the checksum field in it, is that of an intact packet.
  [[nodiscard]] HOST_DEVICE constexpr bool is_intact() const noexcept { return folded() == 0xffff; }

 private:
  // Adds bytes in the machine's order: a sum may be taken in either byte order and swapped at the end (RFC 1071, 2
  // (B)).
  constexpr internet_sum& add_in_machine_order(std::byte const* bytes, std::size_t length) noexcept {
    sum_ += swap_bytes(fold_sum(detail::sum_in_machine_order(bytes, length)));
    return *this;
  }

  std::uint64_t sum_{};
};

// Whether bytes that include their checksum are intact. The answer is the same in either byte order.
[[nodiscard]] HOST_DEVICE constexpr bool sum_is_intact(std::byte const* bytes, std::size_t length) noexcept {
#if !defined(__CUDA_ARCH__)
  if (!std::is_constant_evaluated()) {
    // The folded sum of intact bytes is 0xffff, so the sum is a multiple of 0xffff. The sum of zeroes is 0, a multiple
    // as well, and is not intact.
    auto const sum = detail::sum_in_machine_order(bytes, length);
    return sum % 0xffff == 0 && sum != 0;
  }
#endif
  return internet_sum{}.add(bytes, length).is_intact();
}

// The change of a checksum when words that it covers change: HC' = ~(~HC + ~m + m') (RFC 1624, 3, equation 3). Collects
// all changes of a packet, and applies them to each checksum that covers them.
class checksum_update {
 public:
  HOST_DEVICE constexpr checksum_update& replace16(std::uint16_t before, std::uint16_t after) noexcept {
    sum_.add16(static_cast<std::uint16_t>(~before)).add16(after);
    return *this;
  }
  HOST_DEVICE constexpr checksum_update& replace32(std::uint32_t before, std::uint32_t after) noexcept {
    sum_.add32(~before).add32(after);
    return *this;
  }
  HOST_DEVICE constexpr checksum_update& replace64(std::uint64_t before, std::uint64_t after) noexcept {
    sum_.add64(~before).add64(after);
    return *this;
  }

  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t apply(std::uint16_t checksum) const noexcept {
    return internet_sum{sum_}.add16(static_cast<std::uint16_t>(~checksum)).checksum();
  }

  // For UDP: 0 means "no checksum" and must stay, and a computed 0 is sent as 0xffff (RFC 768).
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t apply_udp(std::uint16_t checksum) const noexcept {
    if (checksum == 0) return 0;
    std::uint16_t const updated = apply(checksum);
    return updated == 0 ? std::uint16_t{0xffff} : updated;
  }

 private:
  internet_sum sum_{};
};

// The IPv4 pseudo header of UDP and TCP (RFC 768, RFC 9293 3.1); `length` counts the transport header and its payload.
[[nodiscard]] HOST_DEVICE constexpr internet_sum pseudo_header_sum(ipv4_address source, ipv4_address destination,
                                                                   ip_protocol protocol,
                                                                   std::uint16_t length) noexcept {
  return internet_sum{}
      .add32(source.number)
      .add32(destination.number)
      .add16(static_cast<std::uint16_t>(protocol))
      .add16(length);
}

// The IPv6 pseudo header (RFC 8200, 8.1), for UDP, TCP and ICMPv6; `protocol` is the last next-header value.
[[nodiscard]] HOST_DEVICE constexpr internet_sum pseudo_header_sum(ipv6_address source, ipv6_address destination,
                                                                   ip_protocol protocol,
                                                                   std::uint32_t length) noexcept {
  internet_sum sum;
  sum.add64(source.high).add64(source.low).add64(destination.high).add64(destination.low);
  return sum.add32(length).add16(static_cast<std::uint16_t>(protocol));
}

// A computed UDP checksum of 0 is sent as all ones, because 0 means "no checksum" (RFC 768).
[[nodiscard]] HOST_DEVICE constexpr std::uint16_t udp_checksum_to_send(std::uint16_t computed) noexcept {
  return computed == 0 ? std::uint16_t{0xffff} : computed;
}

}  // namespace packetwarp::wire

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

// Folds a sum of 16-bit words into 16 bits with end-around carry (RFC 1071, 1).
[[nodiscard]] HOST_DEVICE constexpr std::uint16_t fold_sum(std::uint64_t sum) noexcept {
  sum = (sum & 0xffff'ffffU) + (sum >> 32);
  sum = (sum & 0xffffU) + (sum >> 16);
  sum = (sum & 0xffffU) + (sum >> 16);
  sum = (sum & 0xffffU) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

[[nodiscard]] HOST_DEVICE constexpr std::uint16_t swap_bytes(std::uint16_t word) noexcept {
  return static_cast<std::uint16_t>(word << 8 | word >> 8);
}

// A running one's complement sum (RFC 1071). Holds 2^32 words without overflow: any packet, and its pseudo header.
class internet_sum {
 public:
  HOST_DEVICE constexpr internet_sum& add16(std::uint16_t word) noexcept {
    sum_ += word;
    return *this;
  }
  HOST_DEVICE constexpr internet_sum& add32(std::uint32_t words) noexcept {
    sum_ += (words >> 16) + (words & 0xffffU);
    return *this;
  }

  HOST_DEVICE constexpr internet_sum& add64(std::uint64_t words) noexcept {
    return add32(static_cast<std::uint32_t>(words >> 32)).add32(static_cast<std::uint32_t>(words));
  }

  // Bytes that start at an even offset of what is summed. An odd last byte is padded with zero, so only the last piece
  // may be odd.
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

  // What goes into a checksum field that was zero, or left out, while summing.
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t checksum() const noexcept {
    return static_cast<std::uint16_t>(~folded());
  }

  // Whether the sum, taken over the checksum field too, is that of an intact packet.
  [[nodiscard]] HOST_DEVICE constexpr bool is_intact() const noexcept { return folded() == 0xffff; }

 private:
  // The sum may be taken in either byte order and swapped at the end (RFC 1071, 2 (B)), so four bytes go in at once.
  constexpr internet_sum& add_in_machine_order(std::byte const* bytes, std::size_t length) noexcept {
    std::uint64_t sum = 0;
    for (; length >= 4; bytes += 4, length -= 4) {
      std::uint32_t words = 0;
      std::memcpy(&words, bytes, 4);
      sum += words;
    }
    std::byte tail[4]{};
    for (std::size_t i = 0; i < length; ++i) tail[i] = bytes[i];
    std::uint32_t words = 0;
    std::memcpy(&words, tail, 4);
    sum_ += swap_bytes(fold_sum(sum + words));
    return *this;
  }

  std::uint64_t sum_{};
};

// What changes in a checksum when words it covers change: HC' = ~(~HC + ~m + m') (RFC 1624, 3, equation 3). Collect all
// the changes of a packet, then apply them to each checksum that covers them.
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

  // For UDP, where 0 says "no checksum" and has to stay so, and a computed 0 is sent as 0xffff (RFC 768).
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

// A computed UDP checksum of 0 is sent as all ones, because 0 says that there is none (RFC 768).
[[nodiscard]] HOST_DEVICE constexpr std::uint16_t udp_checksum_to_send(std::uint16_t computed) noexcept {
  return computed == 0 ? std::uint16_t{0xffff} : computed;
}

}  // namespace packetwarp::wire

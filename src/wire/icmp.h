// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/big_endian.h"
#include "wire/layers.h"

namespace packetwarp::wire {

// Message types that a data plane meets (RFC 792). Other values occur.
enum class icmp_type : std::uint8_t {
  echo_reply = 0,
  destination_unreachable = 3,
  redirect = 5,
  echo_request = 8,
  time_exceeded = 11,
  parameter_problem = 12
};

// The same for ICMPv6 (RFC 4443) and neighbour discovery (RFC 4861).
enum class icmpv6_type : std::uint8_t {
  destination_unreachable = 1,
  packet_too_big = 2,
  time_exceeded = 3,
  parameter_problem = 4,
  echo_request = 128,
  echo_reply = 129,
  router_solicitation = 133,
  router_advertisement = 134,
  neighbor_solicitation = 135,
  neighbor_advertisement = 136,
  redirect = 137
};

// Whether a parsed packet is a message of neighbour discovery (RFC 4861, 4).
[[nodiscard]] HOST_DEVICE constexpr bool is_neighbour_discovery(std::byte const* packet, layers const& found) noexcept {
  if (found.l4 != l4_kind::icmpv6) return false;
  auto const type = load_be<std::uint8_t>(packet + found.l4_offset);
  return type >= static_cast<std::uint8_t>(icmpv6_type::router_solicitation) &&
         type <= static_cast<std::uint8_t>(icmpv6_type::redirect);
}

// ICMP and ICMPv6 messages share this layout (RFC 792, RFC 4443 2.1). ICMPv6's checksum covers a pseudo header, ICMP's
// does not.
template <class Byte>
class icmp_view {
 public:
  static constexpr std::size_t header_length = 8;

  HOST_DEVICE constexpr explicit icmp_view(Byte* bytes) noexcept : bytes_{bytes} {}

  // When true, no accessor reads or writes beyond `available` bytes.
  [[nodiscard]] HOST_DEVICE static constexpr bool check_length(std::size_t available) noexcept {
    return available >= header_length;
  }

  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t type_number() const noexcept {
    return load_be<std::uint8_t>(bytes_);
  }
  [[nodiscard]] HOST_DEVICE constexpr icmp_type type() const noexcept { return icmp_type{type_number()}; }
  [[nodiscard]] HOST_DEVICE constexpr icmpv6_type type_v6() const noexcept { return icmpv6_type{type_number()}; }
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t code() const noexcept { return load_be<std::uint8_t>(bytes_ + 1); }
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t checksum() const noexcept {
    return load_be<std::uint16_t>(bytes_ + checksum_at);
  }
  // For echo messages only.
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t identifier() const noexcept {
    return load_be<std::uint16_t>(bytes_ + identifier_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t sequence() const noexcept {
    return load_be<std::uint16_t>(bytes_ + sequence_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr Byte* payload() const noexcept { return bytes_ + header_length; }

  HOST_DEVICE constexpr void set_type(icmp_type type) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_, static_cast<std::uint8_t>(type));
  }
  HOST_DEVICE constexpr void set_type(icmpv6_type type) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_, static_cast<std::uint8_t>(type));
  }
  HOST_DEVICE constexpr void set_code(std::uint8_t code) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_ + 1, code);
  }
  HOST_DEVICE constexpr void set_checksum(std::uint16_t checksum) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + checksum_at, checksum);
  }
  HOST_DEVICE constexpr void set_identifier(std::uint16_t identifier) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + identifier_at, identifier);
  }
  HOST_DEVICE constexpr void set_sequence(std::uint16_t sequence) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + sequence_at, sequence);
  }

 private:
  static constexpr std::size_t checksum_at = 2;
  static constexpr std::size_t identifier_at = 4;
  static constexpr std::size_t sequence_at = 6;
  Byte* bytes_;
};

}  // namespace packetwarp::wire

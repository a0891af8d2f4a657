// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/big_endian.h"

namespace packetwarp::wire {

// UDP header (RFC 768).
template <class Byte>
class udp_view {
 public:
  static constexpr std::size_t header_length = 8;

  HOST_DEVICE constexpr explicit udp_view(Byte* bytes) noexcept : bytes_{bytes} {}

  // When true, no accessor reads or writes beyond `available` bytes: the datagram's length fits as well.
  [[nodiscard]] HOST_DEVICE constexpr bool check_length(std::size_t available) const noexcept {
    return available >= header_length && length() >= header_length && available >= length();
  }

  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t source_port() const noexcept {
    return load_be<std::uint16_t>(bytes_);
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t destination_port() const noexcept {
    return load_be<std::uint16_t>(bytes_ + destination_port_at);
  }
  // Bytes, header included.
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t length() const noexcept {
    return load_be<std::uint16_t>(bytes_ + length_at);
  }
  // 0 means that the sender computed none: allowed over IPv4, not over IPv6 (RFC 8200, 8.1).
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t checksum() const noexcept {
    return load_be<std::uint16_t>(bytes_ + checksum_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr Byte* payload() const noexcept { return bytes_ + header_length; }
  [[nodiscard]] HOST_DEVICE constexpr std::size_t payload_length() const noexcept { return length() - header_length; }

  HOST_DEVICE constexpr void set_source_port(std::uint16_t port) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_, port);
  }
  HOST_DEVICE constexpr void set_destination_port(std::uint16_t port) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + destination_port_at, port);
  }
  HOST_DEVICE constexpr void set_length(std::uint16_t length) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + length_at, length);
  }
  HOST_DEVICE constexpr void set_checksum(std::uint16_t checksum) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + checksum_at, checksum);
  }

 private:
  static constexpr std::size_t destination_port_at = 2;
  static constexpr std::size_t length_at = 4;
  static constexpr std::size_t checksum_at = 6;
  Byte* bytes_;
};

}  // namespace packetwarp::wire

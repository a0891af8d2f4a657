// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/big_endian.h"

namespace packetwarp::wire {

// Control bits, or-ed (RFC 9293, 3.1).
namespace tcp_flag {
inline constexpr std::uint8_t fin = 0x01;
inline constexpr std::uint8_t syn = 0x02;
inline constexpr std::uint8_t rst = 0x04;
inline constexpr std::uint8_t psh = 0x08;
inline constexpr std::uint8_t ack = 0x10;
inline constexpr std::uint8_t urg = 0x20;
inline constexpr std::uint8_t ece = 0x40;
inline constexpr std::uint8_t cwr = 0x80;
}  // namespace tcp_flag

// TCP header (RFC 9293, 3.1).
template <class Byte>
class tcp_view {
 public:
  static constexpr std::size_t min_header_length = 20;

  HOST_DEVICE constexpr explicit tcp_view(Byte* bytes) noexcept : bytes_{bytes} {}

  // When true, no accessor reads or writes beyond `available` bytes: the options fit as well.
  [[nodiscard]] HOST_DEVICE constexpr bool check_length(std::size_t available) const noexcept {
    return available >= min_header_length && header_length() >= min_header_length && available >= header_length();
  }

  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t source_port() const noexcept {
    return load_be<std::uint16_t>(bytes_);
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t destination_port() const noexcept {
    return load_be<std::uint16_t>(bytes_ + destination_port_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t sequence() const noexcept {
    return load_be<std::uint32_t>(bytes_ + sequence_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t acknowledgment() const noexcept {
    return load_be<std::uint32_t>(bytes_ + acknowledgment_at);
  }
  // Bytes, options included; less than 20 in a malformed header.
  [[nodiscard]] HOST_DEVICE constexpr std::size_t header_length() const noexcept {
    return (load_be<std::uint8_t>(bytes_ + data_offset_at) >> 4) * std::size_t{4};
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t flags() const noexcept {
    return load_be<std::uint8_t>(bytes_ + flags_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t window() const noexcept {
    return load_be<std::uint16_t>(bytes_ + window_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t checksum() const noexcept {
    return load_be<std::uint16_t>(bytes_ + checksum_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr Byte* options() const noexcept { return bytes_ + min_header_length; }
  [[nodiscard]] HOST_DEVICE constexpr Byte* payload() const noexcept { return bytes_ + header_length(); }

  HOST_DEVICE constexpr void set_source_port(std::uint16_t port) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_, port);
  }
  HOST_DEVICE constexpr void set_destination_port(std::uint16_t port) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + destination_port_at, port);
  }
  HOST_DEVICE constexpr void set_sequence(std::uint32_t number) const noexcept requires writable<Byte> {
    store_be<std::uint32_t>(bytes_ + sequence_at, number);
  }
  HOST_DEVICE constexpr void set_acknowledgment(std::uint32_t number) const noexcept requires writable<Byte> {
    store_be<std::uint32_t>(bytes_ + acknowledgment_at, number);
  }
  // Bytes: a multiple of 4, 20 to 60.
  HOST_DEVICE constexpr void set_header_length(std::size_t length) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_ + data_offset_at, static_cast<std::uint8_t>(length / 4 << 4));
  }
  HOST_DEVICE constexpr void set_flags(std::uint8_t flags) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_ + flags_at, flags);
  }
  HOST_DEVICE constexpr void set_window(std::uint16_t window) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + window_at, window);
  }
  HOST_DEVICE constexpr void set_checksum(std::uint16_t checksum) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + checksum_at, checksum);
  }

 private:
  static constexpr std::size_t destination_port_at = 2;
  static constexpr std::size_t sequence_at = 4;
  static constexpr std::size_t acknowledgment_at = 8;
  static constexpr std::size_t data_offset_at = 12;
  static constexpr std::size_t flags_at = 13;
  static constexpr std::size_t window_at = 14;
  static constexpr std::size_t checksum_at = 16;
  Byte* bytes_;
};

}  // namespace packetwarp::wire

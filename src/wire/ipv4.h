// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/checksum.h"

namespace packetwarp::wire {

// IPv4 header (RFC 791, 3.1).
template <class Byte>
class ipv4_view {
 public:
  static constexpr std::size_t min_header_length = 20;
  static constexpr std::size_t max_header_length = 60;

  HOST_DEVICE constexpr explicit ipv4_view(Byte* bytes) noexcept : bytes_{bytes} {}

  // When true, no accessor reads or writes beyond `available` bytes: the options and the total length fit as well.
  [[nodiscard]] HOST_DEVICE constexpr bool check_length(std::size_t available) const noexcept {
    return available >= min_header_length && header_length() >= min_header_length &&
           total_length() >= header_length() && available >= total_length();
  }

  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t version() const noexcept {
    return static_cast<std::uint8_t>(load_be<std::uint8_t>(bytes_) >> 4);
  }
  // Bytes, options included; less than 20 in a malformed header.
  [[nodiscard]] HOST_DEVICE constexpr std::size_t header_length() const noexcept {
    return (load_be<std::uint8_t>(bytes_) & 0xfU) * std::size_t{4};
  }
  // Differentiated services code point (RFC 2474), 0 to 63.
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t dscp() const noexcept {
    return static_cast<std::uint8_t>(load_be<std::uint8_t>(bytes_ + dscp_at) >> 2);
  }
  // Explicit congestion notification (RFC 3168), 0 to 3.
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t ecn() const noexcept {
    return static_cast<std::uint8_t>(load_be<std::uint8_t>(bytes_ + dscp_at) & 3U);
  }
  // Bytes, header included. Shorter than the delivered frame if Ethernet padded it to its minimum.
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t total_length() const noexcept {
    return load_be<std::uint16_t>(bytes_ + total_length_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t identification() const noexcept {
    return load_be<std::uint16_t>(bytes_ + identification_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr bool dont_fragment() const noexcept { return (fragment_word() & 0x4000U) != 0; }
  [[nodiscard]] HOST_DEVICE constexpr bool more_fragments() const noexcept { return (fragment_word() & 0x2000U) != 0; }
  // Bytes; the field counts units of 8.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t fragment_offset() const noexcept {
    return (fragment_word() & 0x1fffU) * std::uint32_t{8};
  }
  [[nodiscard]] HOST_DEVICE constexpr bool is_fragment() const noexcept { return (fragment_word() & 0x3fffU) != 0; }
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t ttl() const noexcept {
    return load_be<std::uint8_t>(bytes_ + ttl_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr ip_protocol protocol() const noexcept {
    return ip_protocol{load_be<std::uint8_t>(bytes_ + protocol_at)};
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t checksum() const noexcept {
    return load_be<std::uint16_t>(bytes_ + checksum_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr ipv4_address source() const noexcept {
    return {load_be<std::uint32_t>(bytes_ + source_at)};
  }
  [[nodiscard]] HOST_DEVICE constexpr ipv4_address destination() const noexcept {
    return {load_be<std::uint32_t>(bytes_ + destination_at)};
  }
  [[nodiscard]] HOST_DEVICE constexpr bool checksum_is_intact() const noexcept {
    // Nearly all headers have no options, and a sum over a constant length needs no loop.
    if (header_length() == min_header_length) return sum_is_intact(bytes_, min_header_length);
    return sum_is_intact(bytes_, header_length());
  }
  [[nodiscard]] HOST_DEVICE constexpr Byte* options() const noexcept { return bytes_ + min_header_length; }
  [[nodiscard]] HOST_DEVICE constexpr std::size_t options_length() const noexcept {
    return header_length() - min_header_length;
  }
  [[nodiscard]] HOST_DEVICE constexpr Byte* payload() const noexcept { return bytes_ + header_length(); }
  [[nodiscard]] HOST_DEVICE constexpr std::size_t payload_length() const noexcept {
    return total_length() - header_length();
  }

  // Version 4 and the header's length in bytes: a multiple of 4, 20 to 60.
  HOST_DEVICE constexpr void set_header_length(std::size_t length) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_, static_cast<std::uint8_t>(0x40U | length / 4));
  }
  HOST_DEVICE constexpr void set_dscp(std::uint8_t dscp) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_ + dscp_at, static_cast<std::uint8_t>(dscp << 2 | ecn()));
  }
  HOST_DEVICE constexpr void set_ecn(std::uint8_t ecn) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_ + dscp_at,
                           static_cast<std::uint8_t>(static_cast<unsigned>(dscp()) << 2 | (ecn & 3U)));
  }
  HOST_DEVICE constexpr void set_total_length(std::uint16_t length) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + total_length_at, length);
  }
  HOST_DEVICE constexpr void set_identification(std::uint16_t number) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + identification_at, number);
  }
  // The flags and the offset in units of 8 bytes, as the header holds them.
  HOST_DEVICE constexpr void set_fragment_word(std::uint16_t word) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + fragment_at, word);
  }
  HOST_DEVICE constexpr void set_ttl(std::uint8_t ttl) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_ + ttl_at, ttl);
  }
  HOST_DEVICE constexpr void set_protocol(ip_protocol protocol) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_ + protocol_at, static_cast<std::uint8_t>(protocol));
  }
  HOST_DEVICE constexpr void set_checksum(std::uint16_t checksum) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + checksum_at, checksum);
  }
  HOST_DEVICE constexpr void set_source(ipv4_address address) const noexcept requires writable<Byte> {
    store_be<std::uint32_t>(bytes_ + source_at, address.number);
  }
  HOST_DEVICE constexpr void set_destination(ipv4_address address) const noexcept requires writable<Byte> {
    store_be<std::uint32_t>(bytes_ + destination_at, address.number);
  }
  // Decrements the time to live, which must not be 0, and updates the checksum without a new sum (RFC 1624). change:
  // other changes of the header that its checksum does not have yet.
  [[gnu::always_inline]] HOST_DEVICE constexpr void decrement_ttl(
      checksum_update change = {}) const noexcept requires writable<Byte> {
    std::uint16_t const before = load_be<std::uint16_t>(bytes_ + ttl_at);
    std::uint16_t const after = static_cast<std::uint16_t>(before - 0x0100U);
    store_be<std::uint16_t>(bytes_ + ttl_at, after);
    set_checksum(change.replace16(before, after).apply(checksum()));
  }
  HOST_DEVICE constexpr void fill_checksum() const noexcept requires writable<Byte> {
    set_checksum(0);
    set_checksum(internet_sum{}.add(bytes_, header_length()).checksum());
  }

 private:
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t fragment_word() const noexcept {
    return load_be<std::uint16_t>(bytes_ + fragment_at);
  }

  static constexpr std::size_t dscp_at = 1;
  static constexpr std::size_t total_length_at = 2;
  static constexpr std::size_t identification_at = 4;
  static constexpr std::size_t fragment_at = 6;
  static constexpr std::size_t ttl_at = 8;
  static constexpr std::size_t protocol_at = 9;
  static constexpr std::size_t checksum_at = 10;
  static constexpr std::size_t source_at = 12;
  static constexpr std::size_t destination_at = 16;
  Byte* bytes_;
};

}  // namespace packetwarp::wire

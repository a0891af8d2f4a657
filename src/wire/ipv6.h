// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/checksum.h"

namespace packetwarp::wire {

// IPv6 header (RFC 8200, 3). Extension headers are in ipv6_extension.h.
template <class Byte>
class ipv6_view {
 public:
  static constexpr std::size_t header_length = 40;

  HOST_DEVICE constexpr explicit ipv6_view(Byte* bytes) noexcept : bytes_{bytes} {}

  // When true, no accessor reads or writes beyond `available` bytes: the payload fits as well.
  [[nodiscard]] HOST_DEVICE constexpr bool check_length(std::size_t available) const noexcept {
    return available >= header_length && available - header_length >= payload_length();
  }

  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t version() const noexcept {
    return static_cast<std::uint8_t>(first_word() >> 28);
  }
  // Differentiated services and congestion bits (RFC 2474, RFC 3168).
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t traffic_class() const noexcept {
    return static_cast<std::uint8_t>(first_word() >> 20 & 0xffU);
  }
  // 20 bits (RFC 6437).
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t flow_label() const noexcept { return first_word() & 0xf'ffffU; }
  // Bytes after this header, extension headers included. 0 also announces a jumbogram (RFC 2675), which is not
  // supported.
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t payload_length() const noexcept {
    return load_be<std::uint16_t>(bytes_ + payload_length_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr ip_protocol next_header() const noexcept {
    return ip_protocol{load_be<std::uint8_t>(bytes_ + next_header_at)};
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t hop_limit() const noexcept {
    return load_be<std::uint8_t>(bytes_ + hop_limit_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr ipv6_address source() const noexcept {
    return load_ipv6_address(bytes_ + source_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr ipv6_address destination() const noexcept {
    return load_ipv6_address(bytes_ + destination_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr Byte* payload() const noexcept { return bytes_ + header_length; }

  // Version 6, traffic class and flow label.
  HOST_DEVICE constexpr void set_version_and_flow(std::uint8_t traffic_class,
                                                  std::uint32_t flow_label) const noexcept requires writable<Byte> {
    store_be<std::uint32_t>(bytes_, 6U << 28 | std::uint32_t{traffic_class} << 20 | (flow_label & 0xf'ffffU));
  }
  HOST_DEVICE constexpr void set_payload_length(std::uint16_t length) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + payload_length_at, length);
  }
  HOST_DEVICE constexpr void set_next_header(ip_protocol next) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_ + next_header_at, static_cast<std::uint8_t>(next));
  }
  HOST_DEVICE constexpr void set_hop_limit(std::uint8_t limit) const noexcept requires writable<Byte> {
    store_be<std::uint8_t>(bytes_ + hop_limit_at, limit);
  }
  HOST_DEVICE constexpr void set_source(ipv6_address address) const noexcept requires writable<Byte> {
    store_ipv6_address(bytes_ + source_at, address);
  }
  HOST_DEVICE constexpr void set_destination(ipv6_address address) const noexcept requires writable<Byte> {
    store_ipv6_address(bytes_ + destination_at, address);
  }

 private:
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t first_word() const noexcept {
    return load_be<std::uint32_t>(bytes_);
  }

  static constexpr std::size_t payload_length_at = 4;
  static constexpr std::size_t next_header_at = 6;
  static constexpr std::size_t hop_limit_at = 7;
  static constexpr std::size_t source_at = 8;
  static constexpr std::size_t destination_at = 24;
  Byte* bytes_;
};

}  // namespace packetwarp::wire

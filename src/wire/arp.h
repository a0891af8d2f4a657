// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/address.h"

namespace packetwarp::wire {

enum class arp_operation : std::uint16_t { request = 1, reply = 2 };

// ARP for IPv4 over Ethernet (RFC 826), the only form in use.
template <class Byte>
class arp_view {
 public:
  static constexpr std::size_t header_length = 28;

  HOST_DEVICE constexpr explicit arp_view(Byte* bytes) noexcept : bytes_{bytes} {}

  // When true, no accessor reads or writes beyond `available` bytes.
  [[nodiscard]] HOST_DEVICE static constexpr bool check_length(std::size_t available) noexcept {
    return available >= header_length;
  }

  // Whether the address types and lengths are those of IPv4 over Ethernet; if not, the addresses mean nothing.
  [[nodiscard]] HOST_DEVICE constexpr bool is_ipv4_over_ethernet() const noexcept {
    return load_be<std::uint64_t>(bytes_) >> 16 == ipv4_over_ethernet;
  }
  [[nodiscard]] HOST_DEVICE constexpr arp_operation operation() const noexcept {
    return arp_operation{load_be<std::uint16_t>(bytes_ + operation_at)};
  }
  [[nodiscard]] HOST_DEVICE constexpr mac_address sender_mac() const noexcept {
    return load_mac(bytes_ + sender_mac_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr ipv4_address sender_ip() const noexcept {
    return {load_be<std::uint32_t>(bytes_ + sender_ip_at)};
  }
  [[nodiscard]] HOST_DEVICE constexpr mac_address target_mac() const noexcept {
    return load_mac(bytes_ + target_mac_at);
  }
  [[nodiscard]] HOST_DEVICE constexpr ipv4_address target_ip() const noexcept {
    return {load_be<std::uint32_t>(bytes_ + target_ip_at)};
  }

  // Writes the hardware and protocol types and lengths of IPv4 over Ethernet.
  HOST_DEVICE constexpr void set_ipv4_over_ethernet() const noexcept requires writable<Byte> {
    store_be<std::uint32_t>(bytes_, static_cast<std::uint32_t>(ipv4_over_ethernet >> 16));
    store_be<std::uint16_t>(bytes_ + 4, static_cast<std::uint16_t>(ipv4_over_ethernet & 0xffff));
  }
  HOST_DEVICE constexpr void set_operation(arp_operation operation) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + operation_at, static_cast<std::uint16_t>(operation));
  }
  HOST_DEVICE constexpr void set_sender(mac_address const& mac,
                                        ipv4_address ip) const noexcept requires writable<Byte> {
    store_mac(bytes_ + sender_mac_at, mac);
    store_be<std::uint32_t>(bytes_ + sender_ip_at, ip.number);
  }
  HOST_DEVICE constexpr void set_target(mac_address const& mac,
                                        ipv4_address ip) const noexcept requires writable<Byte> {
    store_mac(bytes_ + target_mac_at, mac);
    store_be<std::uint32_t>(bytes_ + target_ip_at, ip.number);
  }

 private:
  // Hardware type 1, protocol type 0x0800, hardware length 6, protocol length 4.
  static constexpr std::uint64_t ipv4_over_ethernet = 0x0001'0800'0604;
  static constexpr std::size_t operation_at = 6;
  static constexpr std::size_t sender_mac_at = 8;
  static constexpr std::size_t sender_ip_at = 14;
  static constexpr std::size_t target_mac_at = 18;
  static constexpr std::size_t target_ip_at = 24;
  Byte* bytes_;
};

}  // namespace packetwarp::wire

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/address.h"

namespace packetwarp::wire {

// The type after an Ethernet header or a VLAN tag. Values below 0x0600 are IEEE 802.3 lengths; other values occur.
enum class ether_type : std::uint16_t {
  ipv4 = 0x0800,
  arp = 0x0806,
  vlan = 0x8100,  // IEEE 802.1Q customer tag
  ipv6 = 0x86dd,
  service_vlan = 0x88a8  // IEEE 802.1ad service tag
};

[[nodiscard]] HOST_DEVICE constexpr bool is_vlan_tag(ether_type type) noexcept {
  return type == ether_type::vlan || type == ether_type::service_vlan;
}

// Ethernet II header (IEEE 802.3, 3.1.1), without preamble and frame check sequence.
template <class Byte>
class ethernet_view {
 public:
  static constexpr std::size_t header_length = 14;

  HOST_DEVICE constexpr explicit ethernet_view(Byte* bytes) noexcept : bytes_{bytes} {}

  // When true, no accessor reads or writes beyond `available` bytes.
  [[nodiscard]] HOST_DEVICE static constexpr bool check_length(std::size_t available) noexcept {
    return available >= header_length;
  }

  [[nodiscard]] HOST_DEVICE constexpr mac_address destination() const noexcept { return load_mac(bytes_); }
  [[nodiscard]] HOST_DEVICE constexpr mac_address source() const noexcept { return load_mac(bytes_ + source_at); }
  [[nodiscard]] HOST_DEVICE constexpr ether_type type() const noexcept {
    return ether_type{load_be<std::uint16_t>(bytes_ + type_at)};
  }
  [[nodiscard]] HOST_DEVICE constexpr Byte* payload() const noexcept { return bytes_ + header_length; }

  HOST_DEVICE constexpr void set_destination(mac_address const& address) const noexcept requires writable<Byte> {
    store_mac(bytes_, address);
  }
  HOST_DEVICE constexpr void set_source(mac_address const& address) const noexcept requires writable<Byte> {
    store_mac(bytes_ + source_at, address);
  }
  HOST_DEVICE constexpr void set_type(ether_type type) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + type_at, static_cast<std::uint16_t>(type));
  }
  HOST_DEVICE constexpr void swap_addresses() const noexcept requires writable<Byte> {
    mac_address const was_source = source();
    set_source(destination());
    set_destination(was_source);
  }

 private:
  static constexpr std::size_t source_at = 6;
  static constexpr std::size_t type_at = 12;
  Byte* bytes_;
};

}  // namespace packetwarp::wire

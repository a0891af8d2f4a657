// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "wire/big_endian.h"

namespace packetwarp::wire {

// Addresses as values: trivially copyable, the same on the CPU and the GPU. address_text.h reads and prints them.

// Six octets in the order in which they are sent.
struct mac_address {
  std::byte octets[6]{};

  // The low 48 bits, with the first sent octet highest: 02:00:00:00:00:01 is 0x020000000001.
  [[nodiscard]] HOST_DEVICE static constexpr mac_address from_number(std::uint64_t number) noexcept {
    mac_address made;
    store_be<std::uint16_t>(made.octets, static_cast<std::uint16_t>(number >> 32));
    store_be<std::uint32_t>(made.octets + 2, static_cast<std::uint32_t>(number));
    return made;
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t number() const noexcept {
    return static_cast<std::uint64_t>(load_be<std::uint16_t>(octets)) << 32 | load_be<std::uint32_t>(octets + 2);
  }
  // Group bit (IEEE 802-2014, 8.2): broadcast and multicast.
  [[nodiscard]] HOST_DEVICE constexpr bool is_group() const noexcept {
    return (static_cast<unsigned>(octets[0]) & 1U) != 0;
  }
  [[nodiscard]] HOST_DEVICE friend constexpr bool operator==(mac_address const& a, mac_address const& b) noexcept {
    return a.number() == b.number();
  }
};

// A number in the machine's order, so that ranges and prefixes are arithmetic: 10.0.0.1 is 0x0a000001.
struct ipv4_address {
  std::uint32_t number{};
  [[nodiscard]] HOST_DEVICE friend constexpr bool operator==(ipv4_address a, ipv4_address b) noexcept {
    return a.number == b.number;
  }
};

// Two halves in the machine's order; `high` holds the first eight sent octets.
struct ipv6_address {
  std::uint64_t high{};
  std::uint64_t low{};
  [[nodiscard]] HOST_DEVICE friend constexpr bool operator==(ipv6_address a, ipv6_address b) noexcept {
    return a.high == b.high && a.low == b.low;
  }
};

static_assert(sizeof(mac_address) == 6 && std::is_trivially_copyable_v<mac_address>);
static_assert(sizeof(ipv4_address) == 4 && std::is_trivially_copyable_v<ipv4_address>);
static_assert(sizeof(ipv6_address) == 16 && std::is_trivially_copyable_v<ipv6_address>);

[[nodiscard]] HOST_DEVICE constexpr mac_address load_mac(std::byte const* at) noexcept {
  mac_address made;
  for (std::size_t i = 0; i < sizeof made.octets; ++i) made.octets[i] = at[i];
  return made;
}
HOST_DEVICE constexpr void store_mac(std::byte* at, mac_address const& address) noexcept {
  for (std::size_t i = 0; i < sizeof address.octets; ++i) at[i] = address.octets[i];
}

[[nodiscard]] HOST_DEVICE constexpr ipv6_address load_ipv6_address(std::byte const* at) noexcept {
  return {load_be<std::uint64_t>(at), load_be<std::uint64_t>(at + 8)};
}
HOST_DEVICE constexpr void store_ipv6_address(std::byte* at, ipv6_address address) noexcept {
  store_be<std::uint64_t>(at, address.high);
  store_be<std::uint64_t>(at + 8, address.low);
}

}  // namespace packetwarp::wire

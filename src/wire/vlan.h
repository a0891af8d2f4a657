// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/ethernet.h"

namespace packetwarp::wire {

// The part of a VLAN tag after its tag protocol identifier: tag control information, then the type of the next header
// (IEEE 802.1Q, 9.6). The identifier is the type field of the header before it.
template <class Byte>
class vlan_view {
 public:
  static constexpr std::size_t header_length = 4;

  HOST_DEVICE constexpr explicit vlan_view(Byte* bytes) noexcept : bytes_{bytes} {}

  // When true, no accessor reads or writes beyond `available` bytes.
  [[nodiscard]] HOST_DEVICE static constexpr bool check_length(std::size_t available) noexcept {
    return available >= header_length;
  }

  // 0 to 4095; 0 means priority only, 4095 is reserved.
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t id() const noexcept {
    return static_cast<std::uint16_t>(control() & 0x0fffU);
  }
  // Priority code point, 0 to 7.
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t priority() const noexcept {
    return static_cast<std::uint8_t>(control() >> 13);
  }
  [[nodiscard]] HOST_DEVICE constexpr bool drop_eligible() const noexcept { return (control() & 0x1000U) != 0; }
  // Priority, drop-eligible bit and identifier together.
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t control() const noexcept { return load_be<std::uint16_t>(bytes_); }
  [[nodiscard]] HOST_DEVICE constexpr ether_type type() const noexcept {
    return ether_type{load_be<std::uint16_t>(bytes_ + type_at)};
  }

  HOST_DEVICE constexpr void set_id(std::uint16_t id) const noexcept requires writable<Byte> {
    set_control(static_cast<std::uint16_t>((control() & 0xf000U) | (id & 0x0fffU)));
  }
  HOST_DEVICE constexpr void set_priority(std::uint8_t priority) const noexcept requires writable<Byte> {
    set_control(static_cast<std::uint16_t>((control() & 0x1fffU) | (priority & 7U) << 13));
  }
  HOST_DEVICE constexpr void set_control(std::uint16_t control) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_, control);
  }
  HOST_DEVICE constexpr void set_type(ether_type type) const noexcept requires writable<Byte> {
    store_be<std::uint16_t>(bytes_ + type_at, static_cast<std::uint16_t>(type));
  }

 private:
  static constexpr std::size_t type_at = 2;
  Byte* bytes_;
};

}  // namespace packetwarp::wire

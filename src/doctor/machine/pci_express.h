// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace packetwarp::doctor {

// A device's Device Control register (PCI Express Base Specification, 7.5.3.4), found in its configuration space.
struct device_control {
  enum class search : std::uint8_t {
    found,
    no_capability,  // a device of conventional PCI, or a virtual device
    cut_short       // the list of capabilities goes beyond the readable bytes: 64 without root
  };
  search how{search::no_capability};
  std::size_t offset{};   // of the register in configuration space
  std::uint16_t value{};  // the whole register

  // In bytes; empty for reserved encodings.
  [[nodiscard]] std::optional<unsigned> max_payload() const;
  [[nodiscard]] std::optional<unsigned> max_read_request() const;
  // The register with another Max_Read_Request_Size: the largest, 4096 bytes.
  [[nodiscard]] std::uint16_t with_largest_read_request() const;
};

// Accepts any bytes.
[[nodiscard]] device_control find_device_control(std::span<std::uint8_t const> configuration);

}  // namespace packetwarp::doctor

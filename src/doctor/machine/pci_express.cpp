// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/pci_express.h"

namespace packetwarp::doctor {
namespace {

// Offsets of a type 0 header (PCI Local Bus Specification 3.0, 6.1), and of the PCI Express capability.
constexpr std::size_t status_register = 0x06, capabilities_pointer = 0x34, first_capability = 0x40;
constexpr std::uint16_t has_capabilities = 1 << 4;
constexpr std::uint8_t pci_express_capability = 0x10;
constexpr std::size_t device_control_register = 8;  // after the capability's beginning
constexpr std::size_t most_capabilities = 48;       // of four bytes each, in the 192 after the header

[[nodiscard]] std::uint16_t word_at(std::span<std::uint8_t const> bytes, std::size_t offset) {
  return static_cast<std::uint16_t>(bytes[offset] | bytes[offset + 1] << 8);
}

[[nodiscard]] std::optional<unsigned> bytes_of(unsigned encoding) {
  if (encoding > 5) return std::nullopt;
  return 128u << encoding;
}

}  // namespace

std::optional<unsigned> device_control::max_payload() const { return bytes_of(value >> 5 & 7); }
std::optional<unsigned> device_control::max_read_request() const { return bytes_of(value >> 12 & 7); }

std::uint16_t device_control::with_largest_read_request() const {
  return static_cast<std::uint16_t>((value & 0x8fff) | 5 << 12);
}

device_control find_device_control(std::span<std::uint8_t const> configuration) {
  using enum device_control::search;
  if (configuration.size() < first_capability) return {.how = cut_short};
  if ((word_at(configuration, status_register) & has_capabilities) == 0) return {.how = no_capability};
  // The two lowest bits of a pointer are reserved.
  std::size_t at = configuration[capabilities_pointer] & 0xfcu;
  // The bound ends a circular list, too.
  for (std::size_t i = 0; i < most_capabilities && at >= first_capability; ++i) {
    if (at + 2 > configuration.size()) return {.how = cut_short};
    if (configuration[at] == pci_express_capability) {
      auto const offset = at + device_control_register;
      if (offset + 2 > configuration.size()) return {.how = cut_short};
      return {.how = found, .offset = offset, .value = word_at(configuration, offset)};
    }
    at = configuration[at + 1] & 0xfcu;
  }
  return {.how = no_capability};
}

}  // namespace packetwarp::doctor

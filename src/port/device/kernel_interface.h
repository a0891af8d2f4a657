// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "wire/address.h"

namespace packetwarp {

// An interface of this network namespace's kernel, told what to be by rtnetlink (rtnetlink(7)). Each call waits for the
// kernel's answer; nothing where it has done it, else its reason in words. Not for the data path.
class kernel_interface {
 public:
  // Throws failure if none has that name, or no netlink.
  explicit kernel_interface(std::string const& name);
  kernel_interface(kernel_interface const&) = delete;
  kernel_interface& operator=(kernel_interface const&) = delete;
  ~kernel_interface();

  using refusal = std::optional<std::string>;
  [[nodiscard]] refusal set_mac(wire::mac_address const& mac);
  // Bytes of an IP packet.
  [[nodiscard]] refusal set_mtu(std::uint16_t mtu);
  // IPv6 may be switched off for interfaces that come up; this one has been given addresses of it.
  [[nodiscard]] refusal allow_ipv6();
  // With a prefix's length, whose route comes with it. IPv6 addresses are used at once: the user who gives
  // them to a router knows that no other host has them. An address that is there already is no reason to refuse.
  [[nodiscard]] refusal add_address(wire::ipv4_address address, unsigned length);
  [[nodiscard]] refusal add_address(wire::ipv6_address address, unsigned length);
  [[nodiscard]] refusal set_up();

 private:
  struct address_bytes {
    int family;
    std::uint8_t size;
    std::array<std::byte, 16> bytes;
  };
  [[nodiscard]] refusal add_address(address_bytes const& address, unsigned length) const;
  // An errno, as below.
  [[nodiscard]] int change_address(int command, address_bytes const& address, unsigned length) const;
  [[nodiscard]] refusal change_link(unsigned flags, std::uint16_t attribute, void const* value, std::uint16_t size);
  // The kernel's answer to a message: 0, or an errno.
  [[nodiscard]] int ask(void* message) const;

  std::string name_;
  int index_{};
  int socket_{-1};
};

}  // namespace packetwarp

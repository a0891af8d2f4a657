// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "address/ip_prefix.h"
#include "wire/address.h"

namespace packetwarp {

// An interface of this network namespace, configured by rtnetlink (rtnetlink(7)). Each call waits for the kernel's
// answer and returns nothing if the kernel obeyed, else the kernel's reason in words. Not for the data path.
class kernel_interface {
 public:
  [[nodiscard]] static bool exists(std::string const& name);
  // Throws failure if no interface has that name, or if netlink is not available.
  explicit kernel_interface(std::string const& name);
  kernel_interface(kernel_interface const&) = delete;
  kernel_interface& operator=(kernel_interface const&) = delete;
  ~kernel_interface();

  using refusal = std::optional<std::string>;
  [[nodiscard]] refusal set_mac(wire::mac_address const& mac);
  // Bytes of an IP packet.
  [[nodiscard]] refusal set_mtu(std::uint16_t mtu);
  // Enables IPv6 on this interface, which has IPv6 addresses: IPv6 may be off for interfaces that come up.
  [[nodiscard]] refusal allow_ipv6();
  // Adds an address with the length of its prefix, whose route comes with it. IPv6 addresses are used at once: the user
  // who gives them to a router knows that no other host has them. An address that exists already is no error.
  [[nodiscard]] refusal add_address(wire::ipv4_address address, unsigned length);
  [[nodiscard]] refusal add_address(wire::ipv6_address address, unsigned length);
  [[nodiscard]] refusal set_up();
  // A route of this namespace's main table that leads out of the interface without a next router. Its metric is worse
  // than that of a route that has none. The kernel removes it with the interface.
  [[nodiscard]] refusal add_route(ip_prefix const& to);
  [[nodiscard]] refusal remove_route(ip_prefix const& to);

 private:
  struct address_bytes {
    int family;
    std::uint8_t size;
    std::array<std::byte, 16> bytes;
  };
  [[nodiscard]] refusal change_route(int command, ip_prefix const& to) const;
  [[nodiscard]] refusal add_address(address_bytes const& address, unsigned length) const;
  // Returns 0, or an errno, as ask() does.
  [[nodiscard]] int change_address(int command, address_bytes const& address, unsigned length) const;
  [[nodiscard]] refusal change_link(unsigned flags, std::uint16_t attribute, void const* value, std::uint16_t size);
  [[nodiscard]] static address_bytes bytes_of(wire::ipv4_address address);
  [[nodiscard]] static address_bytes bytes_of(wire::ipv6_address address);
  // Sends a message and returns the kernel's answer: 0, or an errno.
  [[nodiscard]] int ask(void* message) const;

  std::string name_;
  int index_{};
  int socket_{-1};
};

}  // namespace packetwarp

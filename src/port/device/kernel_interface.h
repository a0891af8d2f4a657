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
  // An address or route that is there already is no error. anew: the address is removed and added, because the kernel
  // made it for itself; as_it_is: nothing changes, because an earlier run added it.
  enum class existing : std::uint8_t { anew, as_it_is };
  // Adds an address with the length of its prefix, whose route comes with it. IPv6 addresses are used at once: the user
  // who gives them to a router knows that no other host has them.
  [[nodiscard]] refusal add_address(wire::ipv4_address address, unsigned length, existing how);
  [[nodiscard]] refusal add_address(wire::ipv6_address address, unsigned length, existing how);
  [[nodiscard]] refusal set_up();
  // A route of this namespace's main table that leads out of the interface without a next router. Its metric is worse
  // than that of a route that has none. The kernel removes it with the interface. A route that is there already is an
  // error with existing::anew.
  [[nodiscard]] refusal add_route(ip_prefix const& to, existing how);
  [[nodiscard]] refusal remove_route(ip_prefix const& to);
  // The text that users see as the interface's alias (`ip link show`), up to 60 bytes; empty: none.
  [[nodiscard]] refusal set_alias(std::string const& text);
  // Removes the interface, with its addresses and routes.
  [[nodiscard]] refusal remove();

  struct link {
    bool has_carrier{};  // a process is attached to the interface
    bool has_xdp_program{};
    std::string alias;
  };
  // Throws failure if the kernel does not tell.
  [[nodiscard]] link look() const;

 private:
  struct address_bytes {
    int family;
    std::uint8_t size;
    std::array<std::byte, 16> bytes;
  };
  [[nodiscard]] int change_route(int command, ip_prefix const& to) const;
  [[nodiscard]] refusal add_address(address_bytes const& address, unsigned length, existing how) const;
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

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "wire/address.h"

namespace packetwarp {

// The driver that carries packets to an interface of the kernel and back. DPDK no longer has KNI, which did this.
enum class kernel_driver : std::uint8_t {
  automatic,    // virtio_user if this machine has it, else tap
  virtio_user,  // a ring that the kernel's vhost-net reads and writes: a system call per wake-up
  tap           // /dev/net/tun: a system call per packet
};
[[nodiscard]] std::string_view to_string(kernel_driver driver);

// The meaning of "automatic" on this machine.
[[nodiscard]] kernel_driver choose_kernel_driver(kernel_driver asked);

// Longest name of an interface (IFNAMSIZ, without the end).
inline constexpr std::size_t max_interface_name = 15;
// Whether Linux accepts the text as an interface's name, and DPDK as an argument's value.
[[nodiscard]] bool is_interface_name(std::string_view name);

struct kernel_device_config {
  std::string interface;  // its name in the kernel
  wire::mac_address mac;
  kernel_driver driver{kernel_driver::automatic};
  std::string settings{};  // all that is set on the interface, in words: a kept one of other words is made anew
};

// An interface in the kernel, and the port at DPDK's end of it: a virtual device, plugged in by the constructor and
// unplugged by the destructor; the kernel then removes the interface, as it does when the process dies, unless it is
// kept. For the master worker.
class kernel_device {
 public:
  // Takes over the interface if an earlier process has kept it for the same settings. Throws failure that says what is
  // missing, or that the name is another interface's.
  explicit kernel_device(kernel_device_config const& config);
  kernel_device(kernel_device const&) = delete;
  kernel_device& operator=(kernel_device const&) = delete;
  ~kernel_device();

  // The port is set up as any other port is. It is stopped before this object is destroyed.
  [[nodiscard]] port_id id() const { return id_; }
  // Whether the interface is an earlier process', with its addresses and routes.
  [[nodiscard]] bool was_kept() const { return was_kept_; }
  // The interface stays in the kernel when this object and the process are gone, with its addresses and routes and
  // without carrier: packets that programs send by it meanwhile are lost. Returns the reason if that is not possible,
  // in words. Called while the port exists.
  [[nodiscard]] std::optional<std::string> keep() const;

 private:
  void make_tap(kernel_device_config const& config, std::string const& label);
  void plug_in(kernel_device_config const& config, std::string const& label);
  std::string name_;  // the device's
  std::string interface_;
  std::string mark_;  // the alias of the interface while no process has it
  kernel_driver driver_;
  bool was_kept_{};
  port_id id_;
};

}  // namespace packetwarp

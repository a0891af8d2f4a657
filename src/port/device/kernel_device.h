// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
};

// An interface in the kernel, and the port at DPDK's end of it: a virtual device, plugged in by the constructor and
// unplugged by the destructor; the kernel then removes the interface, as it does when the process dies. For the master
// worker.
class kernel_device {
 public:
  // Throws failure that says what is missing.
  explicit kernel_device(kernel_device_config const& config);
  kernel_device(kernel_device const&) = delete;
  kernel_device& operator=(kernel_device const&) = delete;
  ~kernel_device();

  // The port is set up as any other port is. It is stopped before this object is destroyed.
  [[nodiscard]] port_id id() const { return id_; }

 private:
  std::string name_;  // the device's
  port_id id_;
};

}  // namespace packetwarp

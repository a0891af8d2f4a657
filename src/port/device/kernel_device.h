// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "wire/address.h"

namespace packetwarp {

// How packets get to an interface of the kernel and back. DPDK's KNI, which was for that, is no longer in it.
enum class kernel_driver : std::uint8_t {
  automatic,    // virtio_user where it can be had, else tap
  virtio_user,  // a ring that the kernel's vhost-net reads and writes: a system call a wake-up
  tap           // /dev/net/tun: a system call a packet
};
[[nodiscard]] std::string_view to_string(kernel_driver driver);

// The meaning of "automatic" on this machine.
[[nodiscard]] kernel_driver choose_kernel_driver(kernel_driver asked);

// Longest name of an interface (IFNAMSIZ, without the end).
inline constexpr std::size_t max_interface_name = 15;
// Whether Linux takes it as an interface's name, and DPDK as an argument's value.
[[nodiscard]] bool is_interface_name(std::string_view name);

struct kernel_device_config {
  std::string interface;  // its name in the kernel
  wire::mac_address mac;
  kernel_driver driver{kernel_driver::automatic};
};

// An interface in the kernel, and the port at DPDK's end of it: a virtual device, plugged in when this is made and out
// when it goes; the kernel then takes the interface away, as it does when the process dies. For the master worker.
class kernel_device {
 public:
  // Throws failure, saying what is missing.
  explicit kernel_device(kernel_device_config const& config);
  kernel_device(kernel_device const&) = delete;
  kernel_device& operator=(kernel_device const&) = delete;
  ~kernel_device();

  // To be set up as any other port. It is stopped before this goes.
  [[nodiscard]] port_id id() const { return id_; }

 private:
  std::string name_;  // the device's
  port_id id_;
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "function/router/neighbour.h"
#include "port/device/kernel_device.h"
#include "wire/address.h"

namespace packetwarp {

// `kernel` of an interface: its twin on this machine, as far as the file says what it is to be.
struct twin_section {
  int line{};
  std::string name;                                 // in the kernel
  std::optional<wire::mac_address> mac;             // the interface's, where not given
  std::optional<std::vector<ip_prefix>> addresses;  // the same
  std::optional<std::vector<ip_address>> flows;     // the twin's addresses, where not given
  kernel_driver driver{kernel_driver::automatic};
};

}  // namespace packetwarp

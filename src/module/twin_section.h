// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "address/ip_address.h"
#include "address/ip_prefix.h"
#include "port/device/kernel_device.h"
#include "twin/twin_config.h"
#include "wire/address.h"

namespace packetwarp {

// The `kernel` of an interface: its twin on this machine, as far as the file describes it.
struct twin_section {
  int line{};
  std::string name;                                 // the kernel's
  std::optional<wire::mac_address> mac;             // default: the interface's
  std::optional<std::vector<ip_prefix>> addresses;  // default: the interface's
  std::optional<std::vector<ip_address>> flows;     // default: the twin's addresses
  std::vector<announced_route> announced;           // `announce`
  kernel_driver driver{kernel_driver::automatic};
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/run/yaml_reader.h"
#include "function/router/neighbour.h"
#include "port/kernel_device.h"
#include "wire/address.h"

namespace packetwarp {

// `kernel` of an interface: its twin on this machine, as far as the file says what it is to be.
struct kernel_section {
  int line{};
  std::string name;                                 // in the kernel
  std::optional<wire::mac_address> mac;             // the interface's, where not given
  std::optional<std::vector<ip_prefix>> addresses;  // the same
  std::optional<std::vector<ip_address>> flows;     // the twin's addresses, where not given
  kernel_driver driver{kernel_driver::automatic};
};

// `true`, or a map. Nothing for `false`. interface: whose, by name. Throws usage_error with FILE:LINE.
[[nodiscard]] std::optional<kernel_section> read_kernel_section(yaml_place const& place, std::string const& interface);

}  // namespace packetwarp

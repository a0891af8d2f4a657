// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "address/ip_address.h"
#include "address/ip_prefix.h"
#include "base/ids.h"
#include "port/device/kernel_device.h"
#include "wire/address.h"

namespace packetwarp {

// How what the kernel sends gets to the port.
enum class twin_way_out : std::uint8_t {
  by_desk,   // as what the control plane sends: by the TX queue of a pipeline. The master's only
  by_queue,  // by a TX queue of its own
  nowhere    // a kni worker without a TX queue: it is dropped by name
};

// A kernel interface that a port is to have beside it: its twin on this machine. Passive.
struct twin_config {
  port_id port;             // whose twin
  std::string interface;    // the twin's name
  wire::mac_address mac;    // its address, mostly the same
  std::uint16_t mtu{1500};  // bytes of an IP packet
  kernel_driver driver{kernel_driver::automatic};
  std::vector<ip_prefix> addresses;  // that the kernel is given
  std::vector<ip_address> flows;     // packets to these need not pass by a forwarding worker
};

}  // namespace packetwarp

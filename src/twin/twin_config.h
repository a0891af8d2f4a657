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

// The way of the kernel's packets to the port.
enum class twin_way_out : std::uint8_t {
  by_desk,   // like the control plane's packets, by the TX queue of a pipeline; for the master only
  by_queue,  // by a TX queue of its own
  nowhere    // a kni worker without a TX queue: packets are dropped by name
};

// A route of the kernel that stands for a prefix that this machine serves: routing daemons announce it.
struct announced_route {
  enum class until : std::uint8_t { drain, end };  // of the run
  ip_prefix to;
  until stays{until::drain};
};

// The configuration of a kernel interface beside a port: the port's twin on this machine. Passive.
struct twin_config {
  port_id port;             // the port that has the twin
  std::string interface;    // the twin's name
  wire::mac_address mac;    // the twin's address, mostly the port's
  std::uint16_t mtu{1500};  // bytes of an IP packet
  kernel_driver driver{kernel_driver::automatic};
  std::vector<ip_prefix> addresses;  // of the interface in the kernel
  std::vector<announced_route> announced{};
  std::vector<ip_address> flows;  // packets to these need not pass by a forwarding worker
  // The stages before the kernel, "rules, router", if they decide about its packets too: packets of `flows` meet none
  // of them. Empty if only routes come before it.
  std::string stages{};
};

}  // namespace packetwarp

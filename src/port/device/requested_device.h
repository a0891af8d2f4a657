// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/eal_log.h"

namespace packetwarp {

// A virtual device as the EAL's command line names it: --vdev=net_pcap0,rx_pcap=in.pcap,tx_pcap=out.pcap
struct requested_device {
  std::string text;  // all of it, "net_pcap0,rx_pcap=..."
  std::string name;  // "net_pcap0"
  std::vector<std::pair<std::string, std::string>> arguments;

  // Every value of a key; drivers accept some keys several times, once per queue.
  [[nodiscard]] std::vector<std::string> values_of(std::string_view key) const;
};

// The devices among EAL words, in any of the EAL's notations. Pure.
[[nodiscard]] std::vector<requested_device> requested_devices(std::span<std::string const> words);

// Throws failure, with the reason that the log gives, for a network device that did not become a port. Called after the
// EAL has started: the EAL itself only logs the device and goes on with the remaining ports.
void require_ports_of(std::span<requested_device const> devices, eal_log& lines);

}  // namespace packetwarp

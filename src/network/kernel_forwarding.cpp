// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/kernel_forwarding.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace packetwarp {
namespace {

[[nodiscard]] bool is_on(std::string const& setting) {
  int value = 0;
  std::ifstream{"/proc/sys/" + setting} >> value;
  return value != 0;
}

// As sysctl(8) writes a setting: dots and slashes change places.
[[nodiscard]] std::string as_sysctl(std::string setting) {
  for (auto& one : setting) one = one == '/' ? '.' : one == '.' ? '/' : one;
  return setting;
}

// The settings by which the kernel forwards what comes by this interface of its own. IPv6's is one of all interfaces
// (net/ipv6/ip6_output.c, ip6_forward()).
[[nodiscard]] std::vector<std::string> forwarding_settings(std::string const& interface) {
  std::vector<std::string> on;
  if (auto const of_ip4 = "net/ipv4/conf/" + interface + "/forwarding"; is_on(of_ip4)) on.push_back(of_ip4);
  std::string const of_ip6 = "net/ipv6/conf/all/forwarding";
  if (is_on(of_ip6) && !is_on("net/ipv6/conf/" + interface + "/disable_ipv6")) on.push_back(of_ip6);
  return on;
}

}  // namespace

std::vector<std::string> forwarded_by_the_kernel(network_config const& config, plan const& planned) {
  std::vector<std::string> all;
  for (std::size_t n = 0; n < std::min(config.interfaces.size(), planned.ports.size()); ++n) {
    auto const& one = config.interfaces[n];
    auto const& facts = planned.ports[n].facts;
    if (!facts.traits().shares_with_kernel || facts.kernel_interface.empty()) continue;
    if (one.mac && !(*one.mac == facts.mac)) continue;
    auto const on = forwarding_settings(facts.kernel_interface);
    if (on.empty()) continue;
    std::string remedies;
    for (auto const& setting : on) remedies += fmt::format(" {}=0", as_sysctl(setting));
    all.push_back(
        fmt::format("{}:{}: interface {}: the kernel forwards its packets, too, past this program, because {} has the "
                    "same MAC address; give the interface a \"mac\" of its own, or run: sysctl -w{}",
                    config.file, one.line, one.name, facts.kernel_interface, remedies));
  }
  return all;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/eal_start.h"

#include <algorithm>

#include "base/log.h"
#include "memory/eal_cpus.h"
#include "memory/eal_words.h"
#include "port/capture_file.h"
#include "port/device_check.h"
#include "port/requested_device.h"

namespace packetwarp {
namespace {

[[nodiscard]] drivers drivers_of(std::vector<std::string> const& eal) {
  auto const words = read_eal_words(eal);
  return std::ranges::any_of(words, [](auto const& word) { return word.name == "-d"; }) ? drivers::and_others
                                                                                        : drivers::of_dpdk;
}

}  // namespace

std::unique_ptr<eal_session> start_eal(invocation const& call) {
  std::vector<std::string> words{call.program};
  words.insert(words.end(), call.eal.begin(), call.eal.end());
  require_usable_cpus(read_requested_lcores(call.eal), usable_cpus());
  auto const devices = requested_devices(words);
  require_known_drivers(devices, drivers_of(call.eal));
  require_interfaces(devices);
  auto const captures_cut = check_captures(devices);
  auto const arguments = complete_eal_arguments(std::move(words), read_eal_machine());
  for (auto const& notice : arguments.notices) log().warn("{}", notice);
  for (auto const& notice : captures_cut) log().warn("{}", notice);
  auto session = std::make_unique<eal_session>(arguments);
  require_ports_of(devices);
  return session;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/eal_start.h"

#include "base/log.h"
#include "port/capture_file.h"
#include "port/requested_device.h"

namespace packetwarp {

std::unique_ptr<eal_session> start_eal(invocation const& call) {
  std::vector<std::string> words{call.program};
  words.insert(words.end(), call.eal.begin(), call.eal.end());
  auto const devices = requested_devices(words);
  auto const captures_cut = check_captures(devices);
  auto const arguments = complete_eal_arguments(std::move(words), read_eal_machine());
  for (auto const& notice : arguments.notices) log().warn("{}", notice);
  for (auto const& notice : captures_cut) log().warn("{}", notice);
  auto session = std::make_unique<eal_session>(arguments);
  require_ports_of(devices);
  return session;
}

}  // namespace packetwarp

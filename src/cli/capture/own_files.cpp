// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/capture/own_files.h"

#include "cli/result_file.h"
#include "port/device/requested_device.h"

namespace packetwarp {

std::vector<std::string> files_of_command(file_options const& options, std::span<replay_config const> replays,
                                          std::span<std::string const> eal) {
  // Standard output and error, to which results and the log go, may be files.
  std::vector<std::string> all{"/proc/self/fd/1", "/proc/self/fd/2"};
  for (auto const& one : {options.json, options.control, options.event_log}) {
    if (!one.empty() && one != "-" && one != "none") all.push_back(one);
  }
  if (!options.json.empty()) all.push_back(result_file::partial_name(options.json));
  for (auto const& one : replays) all.push_back(one.file);
  for (auto const& device : requested_devices(eal)) {
    for (auto const* const key : {"rx_pcap", "tx_pcap"}) {
      for (auto& file : device.values_of(key)) all.push_back(std::move(file));
    }
  }
  return all;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/capture/own_files.h"

#include <string_view>
#include <utility>

#include "cli/result_file.h"
#include "file/distinct_files.h"
#include "port/device/requested_device.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::vector<std::string> captures_of_devices(std::span<std::string const> eal, std::string_view key) {
  std::vector<std::string> all;
  for (auto const& device : requested_devices(eal)) {
    for (auto& file : device.values_of(key)) all.push_back(std::move(file));
  }
  return all;
}

}  // namespace

std::vector<std::string> files_of_command(file_options const& options, std::span<replay_config const> replays,
                                          std::span<std::string const> eal) {
  // Standard output and error, to which results and the log go, may be files.
  std::vector<std::string> all{"/proc/self/fd/1", "/proc/self/fd/2"};
  for (auto const& one : {options.json, options.control, options.event_log}) {
    if (!one.empty() && one != "-" && one != "none") all.push_back(one);
  }
  if (!options.json.empty()) all.push_back(result_file::partial_name(options.json));
  for (auto const& one : replays) all.push_back(one.file);
  for (auto const* const key : {"rx_pcap", "tx_pcap"}) {
    for (auto& file : captures_of_devices(eal, key)) all.push_back(std::move(file));
  }
  return all;
}

void require_distinct_from_captures(std::vector<std::string> const& read, std::vector<std::string> const& written,
                                    std::span<std::string const> eal) {
  // A device's output in place of its input is told by check_captures(), in words of its own.
  require_distinct_files(captures_of_devices(eal, "rx_pcap"), written);
  auto all_written = written;
  for (auto& file : captures_of_devices(eal, "tx_pcap")) all_written.push_back(std::move(file));
  require_distinct_files(read, all_written);
}

}  // namespace packetwarp

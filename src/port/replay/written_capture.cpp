// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/replay/written_capture.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace packetwarp {
namespace {

// Bytes of a file of pcap beside those of its packets (struct pcap_file_header, and pcap_sf_pkthdr of libpcap).
constexpr std::uint64_t header_of_file = 24, header_of_packet = 16;

}  // namespace

std::optional<std::string> loss_of_captures(requested_device const& device, std::uint64_t packets,
                                            std::uint64_t bytes) {
  auto const files = device.values_of("tx_pcap");
  if (files.empty() || packets == 0) return std::nullopt;
  std::uint64_t written = 0;
  std::string names;
  for (auto const& file : files) {
    std::error_code why;
    if (!std::filesystem::is_regular_file(file, why)) return std::nullopt;
    written += std::filesystem::file_size(file, why);
    if (why) return std::nullopt;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", file);
  }
  // The header of a queue's file comes with its first packet: the number of queues that have sent is unknown.
  auto const needed = header_of_file + packets * header_of_packet + bytes;
  if (written >= needed) return std::nullopt;
  return fmt::format(
      "--vdev={}: {} of the {} bytes of its {} packets were written to {}: the rest is lost; give a file "
      "on a disk with room",
      device.text, written, needed, packets, names);
}

}  // namespace packetwarp

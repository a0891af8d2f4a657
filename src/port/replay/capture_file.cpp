// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/replay/capture_file.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/error.h"

namespace packetwarp {
namespace {

namespace fs = std::filesystem;

struct close_capture {
  void operator()(pcap_t* capture) const { pcap_close(capture); }
};
using open_capture = std::unique_ptr<pcap_t, close_capture>;

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[nodiscard]] open_capture open_for_reading(std::string const& device, std::string const& path) {
  auto const where = fmt::format("--vdev={}: rx_pcap={}", device, path);
  if (fs::is_directory(path)) throw usage_error(fmt::format("{} is a directory; give a capture file", where));
  std::unique_ptr<std::FILE, close_file> file{std::fopen(path.c_str(), "rb")};
  if (!file) throw usage_error(fmt::format("{} cannot be read: {}", where, std::strerror(errno)));
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  open_capture capture{pcap_fopen_offline(file.get(), why.data())};
  if (!capture) throw failure(fmt::format("{} is no capture (pcap or pcapng): {}", where, why.data()));
  static_cast<void>(file.release());  // pcap_close() closes it
  auto const link = pcap_datalink(capture.get());
  if (link != DLT_EN10MB) {
    auto const* const name = pcap_datalink_val_to_name(link);
    throw failure(
        fmt::format("{} holds frames of link type {}; only Ethernet (EN10MB) is forwarded: record on one "
                    "interface (tcpdump -i eth1, not -i any)",
                    where, name != nullptr ? name : std::to_string(link)));
  }
  return capture;
}

// The reason and the place of a file's early end; empty if the file is whole.
[[nodiscard]] std::string find_cut(pcap_t& capture) {
  pcap_pkthdr* header = nullptr;
  unsigned char const* bytes = nullptr;
  std::uint64_t whole = 0;
  int result = 0;
  while ((result = pcap_next_ex(&capture, &header, &bytes)) == 1) ++whole;
  if (result == PCAP_ERROR_BREAK) return {};
  return fmt::format("ends in the middle of packet {} ({})", whole + 1, pcap_geterr(&capture));
}

void require_other_output(requested_device const& device, requested_device const& writer, std::string const& input) {
  for (auto const& output : writer.values_of("tx_pcap")) {
    std::error_code ignored;
    if (!fs::equivalent(input, output, ignored)) continue;
    auto const whose = &device == &writer ? std::string{} : fmt::format(" of {}", writer.name);
    throw usage_error(
        fmt::format("--vdev={}: rx_pcap and tx_pcap{} are the same file {}, which would be empty before "
                    "it is read; write to another one",
                    device.name, whose, input));
  }
}

}  // namespace

std::vector<std::string> check_captures(std::span<requested_device const> devices) {
  std::vector<std::string> notices;
  for (auto const& device : devices) {
    for (auto const& path : device.values_of("rx_pcap")) {
      // The data of a pipe can be read only once, and the driver must read it.
      std::error_code ignored;
      if (fs::is_fifo(path, ignored)) continue;
      auto const capture = open_for_reading(device.name, path);
      for (auto const& writer : devices) require_other_output(device, writer, path);
      if (auto const cut = find_cut(*capture); !cut.empty()) {
        notices.push_back(
            fmt::format("--vdev={}: rx_pcap={} {}; the packets before it are forwarded", device.name, path, cut));
      }
    }
  }
  return notices;
}

std::string without_outputs(std::string_view word) {
  constexpr std::string_view key = ",tx_pcap=";
  std::string made;
  for (std::size_t at = word.find(key); at != std::string_view::npos; at = word.find(key)) {
    made.append(word.substr(0, at + key.size())).append("/dev/null");
    word.remove_prefix(at + key.size());
    word.remove_prefix(std::min(word.find(','), word.size()));
  }
  return made.append(word);
}

}  // namespace packetwarp

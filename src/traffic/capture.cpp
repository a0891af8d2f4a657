// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0

#include "traffic/capture.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace packetwarp::traffic {
namespace {

constexpr std::uint32_t ethernet_header = 14;

struct pcap_closer {
  void operator()(pcap_t* open) const { pcap_close(open); }
};
using pcap_handle = std::unique_ptr<pcap_t, pcap_closer>;

pcap_handle open_capture(std::FILE* open, std::string const& name) {
  std::array<char, PCAP_ERRBUF_SIZE> reason{};
  pcap_handle handle{pcap_fopen_offline_with_tstamp_precision(open, PCAP_TSTAMP_PRECISION_NANO, reason.data())};
  if (!handle) {
    std::fclose(open);
    throw failure{fmt::format("{}: not a pcap or pcapng capture: {}", name, reason.data())};
  }
  if (int const type = pcap_datalink(handle.get()); type != DLT_EN10MB) {
    char const* const known = pcap_datalink_val_to_name(type);
    throw failure{fmt::format("{}: link type is {}, must be EN10MB (Ethernet)", name,
                              known != nullptr ? std::string{known} : fmt::format("number {}", type))};
  }
  return handle;
}

}  // namespace

capture capture::read(std::filesystem::path const& file, limits most) {
  std::FILE* const open = std::fopen(file.c_str(), "rb");
  if (open == nullptr) throw usage_error{fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno))};
  return read(open, file.string(), most);
}

capture capture::read(std::FILE* open, std::string const& name, limits most) {
  pcap_handle const handle = open_capture(open, name);
  capture made;
  pcap_pkthdr* header = nullptr;
  unsigned char const* data = nullptr;
  int got = 0;
  while ((got = pcap_next_ex(handle.get(), &header, &data)) == 1) {
    if (header->caplen < header->len || header->caplen < ethernet_header || header->caplen > most.packet_bytes) {
      ++made.skipped_;
      continue;
    }
    if (made.bytes_.size() + header->caplen > most.total_bytes) {
      throw failure{fmt::format("{}: holds more than {} bytes of packets", name, most.total_bytes)};
    }
    // With nanosecond precision tv_usec holds nanoseconds.
    auto const time =
        static_cast<std::uint64_t>(header->ts.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(header->ts.tv_usec);
    made.add(std::as_bytes(std::span{data, header->caplen}), time);
  }
  if (got == PCAP_ERROR) {
    made.problem_ =
        fmt::format("{}: after packet {}: {}", name, made.packets_.size() + made.skipped_, pcap_geterr(handle.get()));
  }
  if (made.packets_.empty()) {
    throw failure{made.problem_.empty()
                      ? fmt::format("{}: holds no whole Ethernet packet of {} bytes or less ({} left out)", name,
                                    most.packet_bytes, made.skipped_)
                      : made.problem_};
  }
  return made;
}

void capture::add(std::span<std::byte const> recorded, std::uint64_t time) {
  auto const length = static_cast<std::uint32_t>(recorded.size());
  smallest_ = packets_.empty() ? length : std::min(smallest_, length);
  largest_ = std::max(largest_, length);
  packets_.push_back({bytes_.size(), time, length});
  bytes_.insert(bytes_.end(), recorded.begin(), recorded.end());
}

}  // namespace packetwarp::traffic

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/capture/capture_reader.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/process/pipe_wait.h"

namespace packetwarp::traffic {
namespace {

[[nodiscard]] std::FILE* open_file(std::filesystem::path const& file) {
  pipe_wait const beside{file};
  std::FILE* const open = std::fopen(file.c_str(), "rb");
  if (open == nullptr) throw usage_error{fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno))};
  return open;
}

}  // namespace

void capture_reader::closer::operator()(void* open) const { pcap_close(static_cast<pcap_t*>(open)); }

capture_reader::capture_reader(std::filesystem::path const& file) : capture_reader{open_file(file), file.string()} {}

capture_reader::capture_reader(std::FILE* open, std::string name) : name_{std::move(name)} {
  std::array<char, PCAP_ERRBUF_SIZE> reason{};
  auto* const handle = pcap_fopen_offline_with_tstamp_precision(open, PCAP_TSTAMP_PRECISION_NANO, reason.data());
  handle_.reset(handle);
  if (!handle_) {
    std::fclose(open);
    throw failure{fmt::format("{}: not a pcap or pcapng capture: {}", name_, reason.data())};
  }
  if (int const type = pcap_datalink(handle); type != DLT_EN10MB) {
    char const* const known = pcap_datalink_val_to_name(type);
    throw failure{fmt::format("{}: link type is {}, must be EN10MB (Ethernet)", name_,
                              known != nullptr ? std::string{known} : fmt::format("number {}", type))};
  }
}

bool capture_reader::next(packet& into) {
  // After a damaged record libpcap reads on, at a place that need not be a record's begin.
  if (is_over_) return false;
  auto* const handle = static_cast<pcap_t*>(handle_.get());
  pcap_pkthdr* header = nullptr;
  unsigned char const* data = nullptr;
  int const got = pcap_next_ex(handle, &header, &data);
  if (got == PCAP_ERROR) problem_ = fmt::format("{}: after packet {}: {}", name_, count_, pcap_geterr(handle));
  is_over_ = got != 1;
  if (is_over_) return false;
  ++count_;
  into.bytes = std::as_bytes(std::span{data, header->caplen});
  into.length = header->len;
  // With nanosecond precision tv_usec holds nanoseconds.
  into.time =
      static_cast<std::uint64_t>(header->ts.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(header->ts.tv_usec);
  return true;
}

}  // namespace packetwarp::traffic

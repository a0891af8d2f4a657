// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0

#include "traffic/capture/capture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "traffic/capture/capture_reader.h"

namespace packetwarp::traffic {
namespace {

constexpr std::uint32_t ethernet_header = 14;

}  // namespace

capture capture::read(std::filesystem::path const& file, limits most) {
  try {
    return read(capture_reader{file}, file.string(), most);
  } catch (failure const& wrong) {
    throw usage_error{wrong.what()};
  }
}

capture capture::read(std::FILE* open, std::string const& name, limits most) {
  return read(capture_reader{open, name}, name, most);
}

capture capture::read(capture_reader from, std::string const& name, limits most) {
  capture made;
  capture_reader::packet one;
  while (from.next(one)) {
    if (one.bytes.size() < one.length || one.bytes.size() < ethernet_header || one.bytes.size() > most.packet_bytes) {
      ++made.skipped_;
      continue;
    }
    if (made.bytes_.size() + one.bytes.size() > most.total_bytes) {
      throw failure{fmt::format("{}: holds more than {} bytes of packets", name, most.total_bytes)};
    }
    made.add(one.bytes, one.time);
  }
  made.problem_ = from.problem();
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

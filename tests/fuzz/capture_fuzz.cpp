// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "traffic/capture/capture.h"

using namespace packetwarp;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

constexpr traffic::capture::limits most{.packet_bytes = 9596, .total_bytes = std::uint64_t{1} << 20};

// The guarantees of a capture about its packets, for any file.
void check(traffic::capture const& read) {
  require(!read.packets().empty());
  std::uint64_t total = 0;
  std::uint32_t folded = 0;
  for (auto const& packet : read.packets()) {
    auto const bytes = read.bytes(packet);
    require(bytes.size() == packet.length);
    require(packet.length >= 14 && packet.length <= most.packet_bytes);
    require(read.smallest() <= packet.length && packet.length <= read.largest());
    for (std::byte const one : bytes) folded += static_cast<std::uint32_t>(one);
    total += packet.length;
  }
  require(total == read.total_bytes() && total <= most.total_bytes);
  require(folded <= 255 * total);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;  // fmemopen refuses to open nothing
  std::vector<std::uint8_t> file{data, data + size};
  std::FILE* const open = ::fmemopen(file.data(), file.size(), "rb");
  require(open != nullptr);
  try {
    check(traffic::capture::read(open, "fuzz", most));
  } catch (failure const& failed) {
    require(failed.what()[0] != '\0');
  }
  return 0;
}

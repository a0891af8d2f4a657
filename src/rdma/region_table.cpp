// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/region_table.h"

#include <fmt/format.h>

#include "base/error.h"

namespace packetwarp::rdma {

std::uint32_t region_table::add(std::byte* data, std::size_t bytes, std::uint32_t rights) {
  auto const number = static_cast<std::uint32_t>(regions_.size());
  if (number >= most_regions)
    throw failure(fmt::format("rdma: {} memory regions are registered, the most that the table holds", most_regions));
  // The low byte keeps a key of a small number from being a small number, which a mistake would produce.
  auto const key = number << 8 | ((0x5aU + number * 7U) & 0xffU);
  regions_.push_back({reinterpret_cast<std::uint64_t>(data), bytes, key, rights});
  return key;
}

}  // namespace packetwarp::rdma

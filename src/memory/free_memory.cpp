// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/free_memory.h"

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/process/container.h"

namespace packetwarp {
namespace {

namespace fs = std::filesystem;

// The free pages of one size: a folder like "hugepages-2048kB".
std::uint64_t bytes_of_free_pages(fs::path const& size) {
  constexpr std::string_view before = "hugepages-";
  auto const name = size.filename().string();
  std::uint64_t kilobytes = 0, free = 0;
  if (!name.starts_with(before)) return 0;
  std::from_chars(name.data() + before.size(), name.data() + name.size(), kilobytes);
  std::ifstream{size / "free_hugepages"} >> free;
  return free * kilobytes << 10;
}

}  // namespace

std::uint64_t most_free_memory(std::string const& hugepages) {
  std::error_code unlisted;
  fs::directory_iterator const sizes{hugepages, unlisted};
  constexpr auto endless = std::numeric_limits<std::uint64_t>::max();
  if (rte_eal_has_hugepages() == 0) return memory_left().value_or(endless);
  if (unlisted) return endless;
  std::uint64_t bytes = 0;
  for (auto const& size : sizes) bytes += bytes_of_free_pages(size.path());
  for (unsigned i = 0; i < rte_socket_count(); ++i) {
    rte_malloc_socket_stats heap{};
    if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &heap) == 0) bytes += heap.heap_freesz_bytes;
  }
  return bytes;
}

}  // namespace packetwarp

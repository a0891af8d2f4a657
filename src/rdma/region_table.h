// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/host_device.h"

namespace packetwarp::rdma {

// The rights of engines to a region, with the values of libibverbs' access flags. Every region may be read by local
// WQEs.
namespace access {
inline constexpr std::uint32_t local_read = 0;
inline constexpr std::uint32_t local_write = 1;
inline constexpr std::uint32_t remote_write = 2;
}  // namespace access

// Registered memory. Its key is its lkey and its rkey: the number of the region, and 8 bits that vary.
struct region {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint32_t key;
  std::uint32_t rights;
  // Whether it has this key and all of these rights, and [at, at + count) lies in it.
  [[nodiscard]] HOST_DEVICE bool allows(std::uint32_t with_key, std::uint64_t at, std::uint64_t count,
                                        std::uint32_t wanted) const {
    return key == with_key && (rights & wanted) == wanted && at >= address && count <= bytes &&
           at - address <= bytes - count;
  }
};
static_assert(std::is_trivially_copyable_v<region> && sizeof(region) == 24);

// The regions as engines see them, on a CPU or a GPU.
class region_table_ref {
 public:
  HOST_DEVICE region_table_ref(region const* regions, std::uint32_t count) : regions_{regions}, count_{count} {}

  // Whether [address, address + bytes) lies in the region of this key, which has all of these rights.
  [[nodiscard]] HOST_DEVICE bool allows(std::uint32_t key, std::uint64_t address, std::uint64_t bytes,
                                        std::uint32_t rights) const {
    auto const number = key >> 8;
    if (number >= count_) return false;
    return regions_[number].allows(key, address, bytes, rights);
  }

 private:
  region const* regions_;
  std::uint32_t count_;
};

// The owner of a process's registrations; an engine starts after the last of them.
class region_table {
 public:
  static constexpr std::uint32_t most_regions = 4096;

  // Registers memory, and returns its key. The memory must stay where it is. Throws failure if the table is full.
  std::uint32_t add(std::byte* data, std::size_t bytes, std::uint32_t rights);
  [[nodiscard]] std::span<region const> regions() const { return regions_; }
  // Valid until the next add().
  [[nodiscard]] region_table_ref ref() const { return {regions_.data(), static_cast<std::uint32_t>(regions_.size())}; }

 private:
  std::vector<region> regions_;
};

}  // namespace packetwarp::rdma

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace packetwarp {

// The secret of a table's hashes, drawn for each run. A host that chooses its addresses and ports freely cannot choose
// the buckets that they fall into: without the words of the key it does not know which endpoints collide. Both words
// are odd.
struct hash_key {
  std::uint64_t first;
  std::uint64_t second;

  [[nodiscard]] constexpr bool is_none() const { return first == 0 && second == 0; }
};

// The two halves of the product of two words, folded by exclusive or.
[[nodiscard]] HOST_DEVICE inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return a * b ^ __umul64hi(a, b);
#else
  __extension__ using product = unsigned __int128;
  auto const both = static_cast<product>(a) * b;
  return static_cast<std::uint64_t>(both) ^ static_cast<std::uint64_t>(both >> 64);
#endif
}

// Two rounds of a keyed multiplication, as in wyhash (Wang Yi), but with secret words only. It takes as many clocks as
// Murmur3's finaliser, whose collisions any host can compute.
[[nodiscard, gnu::always_inline]] HOST_DEVICE inline std::uint64_t mix(hash_key const& key, std::uint64_t word) {
  return folded_product(folded_product(word ^ key.first, key.second) ^ key.second, key.first);
}

// A key from the kernel's generator. Throws failure if the generator gives nothing.
[[nodiscard]] hash_key random_hash_key();

}  // namespace packetwarp

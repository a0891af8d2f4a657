// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "base/host_device.h"
#include "model/integer_network.h"

namespace packetwarp::network_parts {

struct alignas(8) two_words {
  std::uint32_t of[2];
};
struct alignas(16) four_words {
  std::uint32_t of[4];
};

// Reads aligned words of a network by one instruction. It is an ordinary load, which L1 caches: ld.global.nc would need
// bytes that never change while the kernel runs, and a persistent kernel sees more than one network.
template <class Words>
[[nodiscard]] HOST_DEVICE_COPIED Words read_words(void const* from) {
#if defined(__CUDA_ARCH__)
  return *static_cast<Words const*>(from);
#else
  Words words;
  std::memcpy(&words, from, sizeof words);
  return words;
#endif
}

// Four features of a row as the first layer reads them, by the network's table (model::network_header).
[[nodiscard]] HOST_DEVICE inline std::uint32_t by_table(std::uint8_t const* table, std::uint32_t word) {
  return table[word & 0xff] | std::uint32_t{table[word >> 8 & 0xff]} << 8 |
         std::uint32_t{table[word >> 16 & 0xff]} << 16 | std::uint32_t{table[word >> 24]} << 24;
}

// The same network; nvcc learns that its bytes are in global memory, so that no store to a room changes them.
[[nodiscard]] HOST_DEVICE inline model::network_ref in_global_memory(model::network_ref network) {
#if defined(__CUDA_ARCH__)
  auto const* const bytes = network.at<std::byte>(0);
  __builtin_assume(__isGlobal(bytes));
#endif
  return network;
}

}  // namespace packetwarp::network_parts

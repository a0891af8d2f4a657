// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "base/host_device.h"

namespace packetwarp::inspect {

// A device has no library for regular expressions: the rules of its tests have none.
struct no_regexes {
  HOST_DEVICE bool operator()(std::uint32_t, std::byte const*, std::uint32_t, std::uint32_t&, std::uint32_t&) const {
    return false;
  }
};

// Zeroes that CPU and GPU reach; cudaFree() frees them.
template <class T>
T* managed(std::size_t count) {
  void* memory = nullptr;
  if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc{};
  std::memset(memory, 0, count * sizeof(T));
  return static_cast<T*>(memory);
}

}  // namespace packetwarp::inspect

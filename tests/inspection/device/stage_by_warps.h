// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

#include "inspection/device/judge_by_warps.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {

// Under compute-sanitizer, as ci/gpu_test.sh says.
[[nodiscard]] inline bool is_slow() { return std::getenv("PACKETWARP_PARITY_PACKETS") != nullptr; }

// The reason of a test that ends early under compute-sanitizer: its groups had no time for rules.
inline constexpr char const* longer_than_allowed = "groups take longer than they may: what they find is not compared";

inline void require_cuda(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error{cudaGetErrorString(result)};
}

// Memory that the GPU and the CPU reach.
class shared_bytes {
 public:
  explicit shared_bytes(std::size_t size) { require_cuda(cudaMallocHost(&memory_, size)); }
  ~shared_bytes() { cudaFreeHost(memory_); }
  shared_bytes(shared_bytes const&) = delete;
  shared_bytes& operator=(shared_bytes const&) = delete;
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_{};
};

// Judges the frames by many warps at once, whose order is not known: by a block for each pipeline.
[[nodiscard]] inline std::vector<inspection_parts::fate> judged_by_warps(stage_bed& bed,
                                                                         std::vector<frame_bytes> const& frames) {
  std::vector<frame_place> places;
  std::size_t size = 0;
  for (auto const& one : frames) {
    places.push_back({static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(one.size())});
    size += (one.size() + 63) / 64 * 64;
  }
  shared_bytes const bytes{size + 64};
  shared_bytes const list{places.size() * sizeof(frame_place)};
  shared_bytes const fates{places.size()};
  for (std::size_t n = 0; n < frames.size(); ++n)
    std::memcpy(bytes.as<std::byte>() + places[n].offset, frames[n].data(), frames[n].size());
  auto const blocks = bed.pipelines();
  shared_bytes const tables{blocks * sizeof(inspection_ref)};
  for (std::size_t n = 0; n < blocks; ++n) new (tables.as<inspection_ref>() + n) inspection_ref{bed.table().ref(n)};
  std::memcpy(list.as<std::byte>(), places.data(), places.size() * sizeof(frame_place));
  require_cuda(judge_by_warps({bytes.as<std::byte>(), list.as<frame_place>(), static_cast<unsigned>(frames.size()),
                               tables.as<inspection_ref>(), fates.as<inspection_parts::fate>()},
                              static_cast<unsigned>(blocks)));
  bed.read();
  return {fates.as<inspection_parts::fate>(), fates.as<inspection_parts::fate>() + frames.size()};
}

class inspection_by_warps : public testing::Test {
 protected:
  void SetUp() override {
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU here";
  }
};

}  // namespace packetwarp::test

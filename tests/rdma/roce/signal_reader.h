// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace packetwarp::rdma::roce::test {

// A kernel that waits for signals 1 to `rounds`, each of which comes after a payload.
struct signal_reader {
  std::uint64_t const* signal;  // in GPU memory, as the next two
  std::byte const* payload;     // of each round, at the same place
  std::byte const* expected;    // of all rounds, one after the other
  std::uint32_t bytes;          // of a payload
  std::uint32_t rounds;
  std::uint32_t* seen;   // pinned: the rounds that the kernel has read; the next payload may come then
  std::uint32_t* wrong;  // pinned: the bytes of payloads that were other ones
};
// By one warp. It gives up after some seconds without a signal.
[[nodiscard]] cudaError_t read_signals(signal_reader const& what, cudaStream_t stream);

}  // namespace packetwarp::rdma::roce::test

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/peer_access.h"

#include <fmt/format.h>

#include <utility>

#include "gpu/cuda_check.h"

namespace packetwarp {

peer_access::peer_access(int gpu, int peer) {
  if (gpu == peer) return;
  int possible = 0;
  auto const step = fmt::format("giving GPU {} access to the memory of GPU {}", gpu, peer);
  require_cuda(cudaDeviceCanAccessPeer(&possible, gpu, peer), step);
  if (possible == 0) throw usage_error(lack_of_peer_access(gpu, peer));
  require_cuda(cudaSetDevice(gpu), step);
  auto const said = cudaDeviceEnablePeerAccess(peer, 0);
  if (said == cudaErrorPeerAccessAlreadyEnabled) {
    (void)cudaGetLastError();  // another owner takes it back
    return;
  }
  require_cuda(said, step);
  gpu_ = gpu;
  peer_ = peer;
}

peer_access::peer_access(peer_access&& other) noexcept : gpu_{std::exchange(other.gpu_, none)}, peer_{other.peer_} {}

peer_access& peer_access::operator=(peer_access&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(peer_, other.peer_);
  return *this;
}

peer_access::~peer_access() {
  if (gpu_ == none) return;
  if (cudaSetDevice(gpu_) == cudaSuccess) (void)cudaDeviceDisablePeerAccess(peer_);
}

}  // namespace packetwarp

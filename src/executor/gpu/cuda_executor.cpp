// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/cuda_executor.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "base/log.h"
#include "base/units.h"
#include "memory/cuda_check.h"

namespace packetwarp {

offload_buffers::offload_buffers(gpu_facts const& gpu, std::uint32_t slots, std::uint32_t burst,
                                 std::chrono::nanoseconds packet_time) {
  offload_layout const layout{slots, burst};
  host = pinned_memory{gpu.index, layout.host_bytes()};
  device = device_memory{gpu.index, layout.device_bytes()};
  ring = layout.place(host.bytes(), device.data());
  // At the fastest clock it has, so that a packet never gets less than its time.
  ring.packet_clocks = static_cast<std::uint64_t>(static_cast<double>(packet_time.count()) * gpu.clock_khz / 1e6);
}

void offload_buffers::abandon() {
  host.abandon();
  device.abandon();
}

cuda_stream::cuda_stream(int gpu) {
  require_cuda(cudaSetDevice(gpu), "choosing the GPU");
  require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
}

cuda_stream::~cuda_stream() {
  if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
}

cuda_executor::cuda_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                             std::unique_ptr<executor> fallback)
    : cuda_executor{ring, program, settings, std::move(fallback),
                    offload_buffers{settings.gpu, ring.slots(), ring.capacity(), settings.packet_time}} {}

cuda_executor::cuda_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                             std::unique_ptr<executor> fallback, offload_buffers buffers)
    : offload_executor{ring, buffers.ring, std::move(fallback), settings.timeout},
      settings_{settings},
      program_{program},
      buffers_{std::move(buffers)},
      stream_{settings.gpu.index} {}

bool cuda_executor::went_well(cudaError_t result) {
  if (result != cudaSuccess && error_ == cudaSuccess) error_ = result;
  return result == cudaSuccess;
}

bool cuda_executor::is_idle() const { return cudaStreamQuery(stream()) != cudaErrorNotReady; }

std::string cuda_executor::find_trouble() {
  use_gpu();
  if (error_ == cudaSuccess) {
    auto const state = cudaStreamQuery(stream());
    if (state == cudaErrorNotReady) return {};
    if (state == cudaSuccess) return runs_always() ? "its kernel ended by itself" : "";
    error_ = state;
  }
  return to_string(error_);
}

end_state cuda_executor::stop() {
  use_gpu();
  ask_to_end();
  auto const until = std::chrono::steady_clock::now() + settings_.timeout;
  while (!is_idle() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::microseconds{100});
  }
  if (is_idle()) return end_state::ended;
  log().error("{}: it does not end; it is left to the end of this process, and its memory with it", what());
  buffers_.abandon();
  stream_.abandon();
  return end_state::runs_on;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/cuda_executor.h"

#include <cuda/atomic>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log/log.h"
#include "base/sleep.h"
#include "base/units.h"
#include "executor/gpu/device/fault.h"
#include "gpu/cuda_check.h"

namespace packetwarp {

offload_buffers::offload_buffers(gpu_settings const& settings, burst_ring const& of, std::uint32_t unit_packets) {
  auto const& gpu = settings.gpu;
  bool const is_staged = settings.where != placement::host && settings.route == packet_route::staged;
  offload_layout const layout{{.slots = of.slots(),
                               .burst = of.capacity(),
                               .unit = unit_packets,
                               .staged = is_staged ? settings.data_room : 0}};
  host = pinned_memory{gpu.index, layout.host_bytes()};
  device = device_memory{gpu.index, layout.device_bytes()};
  ring = layout.place(host.bytes(), device.data());
  if (settings.where == placement::split) ring.staging.kept_bytes = split_header_bytes;
  // Counted at the GPU's fastest clock, so that a packet never gets less than its time.
  ring.packet_clocks =
      static_cast<std::uint64_t>(static_cast<double>(settings.packet_time.count()) * gpu.clock_khz / 1e6);
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
                    offload_buffers{settings, ring, program.unit_packets}} {}

cuda_executor::cuda_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                             std::unique_ptr<executor> fallback, offload_buffers buffers)
    : offload_executor{ring, buffers.ring, std::move(fallback), settings.timeout,
                       settings.domain ? settings.domain : std::make_shared<gpu_domain>(settings.gpu.index)},
      settings_{settings},
      program_{program},
      buffers_{std::move(buffers)},
      stream_{settings.gpu.index},
      fault_stream_{settings.gpu.index} {
  if (!program_.long_tables.empty()) {
    long_tables_ = device_memory{settings_.gpu.index, program_.long_tables.size()};
    long_tables_.write(0, program_.long_tables);
    auto* const at = long_tables_.data();
    std::memcpy(program_.tables.data(), &at, sizeof at);
  }
  if (settings_.fault != gpu_fault::none) break_after(settings_.fault_after);
}

bool cuda_executor::went_well(cudaError_t result) {
  auto none = cudaSuccess;
  if (result != cudaSuccess) (void)error_.compare_exchange_strong(none, result);
  return result == cudaSuccess;
}

std::string cuda_executor::refusal() const { return to_string(error_.load()); }

// A GPU that has too little shared memory for headers does without: its functions then work on packets where they lie.
// Rooms are required.
std::size_t cuda_executor::shared_bytes_of(void const* kernel, unsigned threads) const {
  auto const rooms = rooms_of_block(program_.room_bytes, threads);
  auto const headers = program_.header_bytes * threads;
  if (rooms + headers == 0) return 0;
  constexpr auto step = "giving a kernel shared memory";
  cudaFuncAttributes of_kernel{};
  require_cuda(cudaFuncGetAttributes(&of_kernel, kernel), step);
  auto const most = settings_.gpu.shared_bytes - std::min(settings_.gpu.shared_bytes, of_kernel.sharedSizeBytes);
  if (rooms > most)
    throw failure(fmt::format("{}: {}", what(), lack_of_room(program_.name, program_.room_bytes, threads, most)));
  auto const bytes = rooms + headers <= most ? rooms + headers : rooms;
  if (bytes == 0) return 0;
  require_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
               step);
  return bytes;
}

void cuda_executor::tell(std::uint64_t word) const {
  for (std::uint32_t block = 0; block < settings_.blocks; ++block) {
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{shared().control[block].given}.store(
        word, cuda::memory_order_release);
  }
}

bool cuda_executor::cause_fault() {
  use_gpu();
  switch (settings_.fault) {
    case gpu_fault::none:
      return true;
    case gpu_fault::error:
      (void)went_well(launch_trap(fault_stream_.get()));
      return true;
    case gpu_fault::stall:
    case gpu_fault::busy:
      stall();
      return true;
    case gpu_fault::lost:
      stall();
      lost_ = true;
      domain().break_copies("the GPU does not answer (cudaErrorDevicesUnavailable)");
      (void)went_well(cudaErrorDevicesUnavailable);
      return true;
    case gpu_fault::memory:
      return run_short_of_memory();
  }
  return true;
}

// Copies fail first, and then launches, for a GPU without copies.
bool cuda_executor::run_short_of_memory() {
  constexpr std::chrono::milliseconds copies_come_first{20};
  if (short_of_memory_ == 0) {
    short_of_memory_ = now_cycles();
    domain().break_copies("out of memory (cudaErrorMemoryAllocation)");
  }
  if (now_cycles() - short_of_memory_ < to_cycles(copies_come_first)) return false;
  (void)went_well(cudaErrorMemoryAllocation);
  refuse();
  return true;
}

// A GPU that another program kept busy goes on now, with work whose results are not wanted any more.
void cuda_executor::let_go() {
  if (settings_.fault == gpu_fault::busy) {
    resume();
  } else {
    forget();
  }
}

void cuda_executor::show_received() {
  if (!settings_.behind_rdma || settings_.gpu.rdma != rdma_support::needs_flush) [[likely]]
    return;
  if (!flush_inbound_writes(settings_.gpu.index)) (void)went_well(cudaGetLastError());
}

bool cuda_executor::is_idle() const { return cudaStreamQuery(stream()) != cudaErrorNotReady; }

std::string cuda_executor::find_trouble() {
  if (error_.load() != cudaSuccess) return refusal();
  use_gpu();
  auto const result = cudaStreamQuery(stream());
  if (result == cudaErrorNotReady || result == cudaSuccess) return {};
  (void)went_well(result);
  return refusal();
}

bool cuda_executor::has_ended() {
  if (!runs_always()) return false;
  use_gpu();
  return cudaStreamQuery(stream()) == cudaSuccess;
}

bool cuda_executor::ends_when_asked() {
  use_gpu();
  ask_to_end();
  auto const until = std::chrono::steady_clock::now() + settings_.timeout;
  while (!is_idle()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    sleep_for(std::chrono::microseconds{100});
  }
  return true;
}

end_state cuda_executor::end() {
  if (!lost_ && ends_when_asked()) return end_state::ended;
  log().error("{}: it does not end; it is left to the end of this process, and its memory with it", what());
  return end_state::runs_on;
}

}  // namespace packetwarp

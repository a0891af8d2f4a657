// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/joint/own_work.h"

#include <algorithm>
#include <array>

#include "gpu/cuda_check.h"

namespace packetwarp {
namespace {

constexpr std::size_t line = 128;
[[nodiscard]] constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + line - 1) / line * line; }

}  // namespace

own_work::own_work(gpu_program const& program, gpu_settings const& settings, offload_ring_ref const& ring,
                   std::uint64_t* begun)
    : ring_{ring} {
  if (program.own.gather == nullptr) return;
  auto const units = (ring.mask + 1) * ring.units;
  batch_.groups = units * (packets_per_unit / gpu_warp_size);
  auto const rooms = whole_lines(batch_.groups * program.own.room_bytes);
  auto const counts = whole_lines(batch_.groups * sizeof(std::uint32_t));
  auto const epochs = whole_lines(batch_.groups * sizeof(epoch_number));
  auto const state = whole_lines(sizeof(batch_state));
  memory_ = device_memory{settings.gpu.index, rooms + counts + epochs + state + program.own.beside(batch_.groups)};
  batch_.rooms = memory_.data();
  batch_.packets = reinterpret_cast<std::uint32_t*>(memory_.data() + rooms);
  batch_.epochs = reinterpret_cast<epoch_number*>(memory_.data() + rooms + counts);
  batch_.state = reinterpret_cast<batch_state*>(memory_.data() + rooms + counts + epochs);
  batch_.beside = memory_.data() + rooms + counts + epochs + state;
  batch_.gpu = {static_cast<std::uint32_t>(settings.gpu.shared_bytes),
                static_cast<std::uint32_t>(std::max(settings.gpu.multiprocessors, 1))};
  require_cuda(static_cast<cudaError_t>(program.own.prepare(batch_.gpu, program.tables_on_host())),
               "preparing a function's own kernels");
  batch_.begun = begun;
  // Warps take one unit each, as long as the GPU has free warps.
  constexpr auto warps = kernel_threads / gpu_warp_size;
  constexpr unsigned blocks_a_multiprocessor = 8;
  blocks_ = std::min((units + warps - 1) / warps,
                     blocks_a_multiprocessor * static_cast<unsigned>(std::max(settings.gpu.multiprocessors, 1)));
}

cudaError_t own_work::launch(cudaStream_t stream, gpu_program& program, std::size_t shared) const {
  auto ring = ring_;
  auto batch = batch_;
  std::array<void*, 3> arguments{&ring, &batch, program.tables.data()};
  auto const run = [&](void const* kernel, std::size_t bytes) {
    return cudaLaunchKernel(kernel, dim3{blocks_}, dim3{kernel_threads}, arguments.data(), bytes, stream);
  };
  if (auto const result = run(program.own.gather, shared); result != cudaSuccess) return result;
  program.own.work(stream, batch, program.tables_on_host());
  if (auto const result = cudaGetLastError(); result != cudaSuccess) return result;
  return run(program.own.finish, shared);
}

}  // namespace packetwarp

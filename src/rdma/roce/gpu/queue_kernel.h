// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sleep.h"
#include "gpu/cuda_check.h"
#include "gpu/gpu.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma::roce {

// A kernel with a block per queue, which runs until it is told to end, and its memory: the queues as it reads them, the
// regions, its counters, and for each queue a box in pinned host memory, by which a CPU thread and the block meet. A
// kernel that does not end keeps its memory. Box has a word `stop`. Throws failure, where CUDA refuses.
template <class Queue, class Counters, class Box>
class queue_kernel {
 public:
  // whose: "requesters'", in errors.
  queue_kernel(int gpu, std::string_view whose, std::size_t queues) : gpu_{gpu}, whose_{whose}, count_{queues} {
    require_cuda(cudaSetDevice(gpu), "choosing a GPU");
    boxes_ = pinned_memory{gpu, queues * sizeof(Box)};
  }
  queue_kernel(queue_kernel const&) = delete;
  queue_kernel& operator=(queue_kernel const&) = delete;
  ~queue_kernel() {
    if (!is_running_) {
      if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
      return;
    }
    queues_.abandon();
    regions_.abandon();
    counters_.abandon();
    boxes_.abandon();
  }

  [[nodiscard]] Box& box(std::size_t n) const { return reinterpret_cast<Box*>(boxes_.bytes().data())[n]; }

  // Makes the memory that the kernel reads, before start().
  void prepare(std::span<Queue const> queues, std::span<region const> regions) {
    queues_ = kept_on_gpu(std::as_bytes(queues));
    regions_ = kept_on_gpu(std::as_bytes(regions));
    region_count_ = static_cast<std::uint32_t>(regions.size());
    counters_ = device_memory{gpu_, count_ * sizeof(Counters)};
    require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  }
  [[nodiscard]] Queue const* queues() const { return reinterpret_cast<Queue const*>(queues_.data()); }
  [[nodiscard]] Counters* counters() const { return reinterpret_cast<Counters*>(counters_.data()); }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(count_); }
  [[nodiscard]] region const* regions() const { return reinterpret_cast<region const*>(regions_.data()); }
  [[nodiscard]] std::uint32_t region_count() const { return region_count_; }

  // launch(stream): cudaError_t.
  template <class Launch>
  void start(Launch const& launch) {
    require_cuda(launch(stream_), fmt::format("starting the {} kernel", whose_));
    is_running_ = true;
  }
  // The reason why the kernel works no more although it was not told to end; empty while it works. Any thread.
  [[nodiscard]] std::string trouble() const {
    auto const said = cudaStreamQuery(stream_);
    if (said == cudaErrorNotReady) return {};
    return fmt::format("GPU {}: the {} kernel has ended: {}", gpu_, whose_,
                       said == cudaSuccess ? "it was not told to" : packetwarp::to_string(said));
  }
  // Ends it. Throws failure if it does not end within seconds.
  void stop() {
    if (!is_running_) return;
    for (std::size_t n = 0; n < count_; ++n) detail::store(box(n).stop, std::uint64_t{1});
    require_cuda(await_end(), fmt::format("ending the {} kernel", whose_));
    is_running_ = false;
  }
  // After stop().
  [[nodiscard]] std::vector<Counters> read_counters() const {
    std::vector<Counters> read(count_);
    counters_.read(0, std::as_writable_bytes(std::span{read}));
    return read;
  }

 private:
  // A copy in GPU memory; of nothing, some bytes.
  [[nodiscard]] device_memory kept_on_gpu(std::span<std::byte const> bytes) const {
    device_memory made{gpu_, std::max<std::size_t>(bytes.size(), 16)};
    if (!bytes.empty()) made.write(0, bytes);
    return made;
  }
  // cudaErrorNotReady if the kernel does not end in time.
  [[nodiscard]] cudaError_t await_end() const {
    using namespace std::chrono_literals;
    auto const limit = std::chrono::steady_clock::now() + 5s;
    auto said = cudaErrorNotReady;
    while ((said = cudaStreamQuery(stream_)) == cudaErrorNotReady && std::chrono::steady_clock::now() < limit)
      sleep_for(100us);
    return said;
  }

  int gpu_;
  std::string whose_;
  std::size_t count_;
  device_memory queues_;
  device_memory regions_;
  device_memory counters_;
  pinned_memory boxes_;
  std::uint32_t region_count_{};
  cudaStream_t stream_{};
  bool is_running_{};
};

}  // namespace packetwarp::rdma::roce

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <string>

#include "executor/gpu/gpu_settings.h"
#include "executor/gpu/offload/offload_executor.h"
#include "executor/gpu/offload/offload_memory.h"
#include "executor/gpu/program.h"
#include "gpu/gpu.h"

namespace packetwarp {

// The memory that CPU and GPU share for one ring, and the ring laid out in it.
struct offload_buffers {
  offload_buffers(gpu_settings const& settings, burst_ring const& of, std::uint32_t unit_packets);

  pinned_memory host;
  device_memory device;
  offload_ring_ref ring{};
};

// A stream of its own for an executor's work: it waits for no other stream.
class cuda_stream {
 public:
  explicit cuda_stream(int gpu);
  cuda_stream(cuda_stream const&) = delete;
  cuda_stream& operator=(cuda_stream const&) = delete;
  ~cuda_stream();
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_{};
};

// The parts that every executor on a GPU has: shared memory, a stream, and the detection of failures.
class cuda_executor : public offload_executor {
 protected:
  [[nodiscard]] end_state end() final;

  cuda_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                std::unique_ptr<executor> fallback);

  [[nodiscard]] bool cause_fault() final;
  void let_go() final;
  // Makes the GPU finish no more bursts until it is asked to end.
  virtual void stall() = 0;
  // Undoes stall().
  virtual void resume() = 0;
  // Tells the GPU to work on no more bursts, if it listens.
  virtual void forget() = 0;
  // Tells the GPU to end its work; end() then waits for it, for as long as a failure may take to be noticed.
  virtual void ask_to_end() = 0;
  // Writes the word to every block of the kernel; it is offload_control's.
  void tell(std::uint64_t word) const;

  [[nodiscard]] std::string find_trouble() final;
  [[nodiscard]] std::string refusal() const final;
  // Keeps the error of a call; false when it failed.
  [[nodiscard]] bool went_well(cudaError_t result);
  [[nodiscard]] bool ends_when_asked();
  // The stream's work has ended, with success or failure.
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] bool has_ended() final;
  // Whether an idle stream is a failure.
  [[nodiscard]] virtual bool runs_always() const { return false; }

  void show_received() final;

  [[nodiscard]] gpu_settings const& settings() const { return settings_; }
  [[nodiscard]] gpu_program& program() { return program_; }
  // The shared memory per block for a launch of one of the program's kernels; makes the kernel ready for it.
  [[nodiscard]] std::size_t shared_bytes_of(void const* kernel, unsigned threads) const;
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  // Directs this thread's CUDA calls to the executor's GPU: a worker may serve executors on several.
  void use_gpu() const { (void)cudaSetDevice(settings_.gpu.index); }

 private:
  [[nodiscard]] bool run_short_of_memory();
  explicit cuda_executor(burst_ring& ring, gpu_program program, gpu_settings const& settings,
                         std::unique_ptr<executor> fallback, offload_buffers buffers);
  gpu_settings settings_;
  gpu_program program_;
  device_memory long_tables_;
  offload_buffers buffers_;
  cuda_stream stream_;
  cuda_stream fault_stream_;
  std::atomic<cudaError_t> error_{cudaSuccess};  // the first; set by the thread that polls or watches
  std::atomic<bool> lost_{false};
  cycles short_of_memory_{0};  // its beginning
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rdma/roce/frame_maker.h"

namespace packetwarp::rdma::roce {

// A kernel makes the frames whose payload lies in registered memory: a warp per frame, until the maker is stopped. The
// calling thread makes the others. Frames lie in pinned host memory, payload there or in the GPU's memory.
class gpu_frame_maker final : public frame_maker {
 public:
  // Takes the maker's memory. The GPU is open (open_gpu). Throws usage_error without GPU code, failure.
  explicit gpu_frame_maker(int gpu);
  gpu_frame_maker(gpu_frame_maker const&) = delete;
  gpu_frame_maker& operator=(gpu_frame_maker const&) = delete;
  ~gpu_frame_maker() override;

  // Starts the kernel. Memory for the GPU, and pinned memory, is allocated before and freed after stop(): both wait for
  // all kernels. Throws failure.
  void start();
  [[nodiscard]] std::size_t lead() const override;
  [[nodiscard]] std::size_t room() const override;
  void ask(frame_plan const& plan, std::byte* at) override;
  [[nodiscard]] std::uint64_t poll() override;
  // Ends the kernel; frames that are not made yet are made or not. Throws failure if it does not end within seconds.
  void stop();

 private:
  struct kernel_state;
  void give();

  std::unique_ptr<kernel_state> state_;
  std::uint64_t asked_{};   // frames
  std::uint64_t given_{};   // batches
  std::uint64_t made_{};    // batches
  std::uint32_t filled_{};  // orders of the batch that is not given yet
};

}  // namespace packetwarp::rdma::roce

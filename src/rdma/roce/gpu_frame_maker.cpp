// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/gpu_frame_maker.h"

#include <array>
#include <chrono>

#include "base/sleep.h"
#include "gpu/cuda_check.h"
#include "gpu/gpu.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/roce/frame_order.h"
#include "rdma/roce/lane_frame.h"
#include "rdma/roce/make_frames.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::uint32_t blocks = 32, slots = 4 * blocks;

}  // namespace

struct gpu_frame_maker::kernel_state {
  explicit kernel_state(int gpu) : memory{gpu, slots * sizeof(order_slot)}, stop{gpu, sizeof(std::uint32_t)} {
    require_cuda(cudaSetDevice(gpu), "choosing a GPU");
    require_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  }
  kernel_state(kernel_state const&) = delete;
  kernel_state& operator=(kernel_state const&) = delete;
  ~kernel_state() {
    if (!is_running) {
      (void)cudaStreamDestroy(stream);
      return;
    }
    memory.abandon();
    stop.abandon();
  }
  [[nodiscard]] order_slot& slot(std::uint64_t batch) const {
    return reinterpret_cast<order_slot*>(memory.bytes().data())[batch % slots];
  }
  [[nodiscard]] std::uint32_t& stop_word() const { return *reinterpret_cast<std::uint32_t*>(stop.bytes().data()); }

  pinned_memory memory;
  pinned_memory stop;
  std::array<std::uint64_t, slots> first{};  // the frame, of all that were asked for, that is a batch's first
  cudaStream_t stream{};
  bool is_running{};
};

gpu_frame_maker::gpu_frame_maker(int gpu) : state_{std::make_unique<kernel_state>(gpu)} {}

void gpu_frame_maker::start() {
  auto const& state = *state_;
  require_cuda(launch_make_frames(&state.slot(0), slots, blocks, &state.stop_word(), state.stream),
               "starting the kernel that makes frames");
  state_->is_running = true;
}

gpu_frame_maker::~gpu_frame_maker() {
  try {
    stop();
  } catch (failure const&) {  // kernel_state leaves its memory to the kernel
  }
}

std::size_t gpu_frame_maker::lead() const { return frame_lead; }

std::size_t gpu_frame_maker::room() const { return (slots - (given_ - made_)) * order_slot::most_orders - filled_; }

void gpu_frame_maker::ask(frame_plan const& plan, std::byte* at) {
  auto const number = asked_++;
  if (plan.place != payload_place::region) {
    write_frame(at, plan.path, plan.fields, plan.payload, plan.bytes);
    return;
  }
  if (filled_ == 0) state_->first[given_ % slots] = number;
  state_->slot(given_).orders[filled_++] = order_of(plan, at);
  if (filled_ == order_slot::most_orders) give();
}

void gpu_frame_maker::give() {
  detail::store_after(state_->slot(given_).given, (given_ + 1) << 8 | filled_, release_to_system);
  ++given_;
  filled_ = 0;
}

std::uint64_t gpu_frame_maker::poll() {
  if (filled_ != 0) give();
  while (made_ != given_ && detail::load_before(state_->slot(made_).made, acquire_from_system) == made_ + 1) ++made_;
  return made_ == given_ ? asked_ : state_->first[made_ % slots];
}

void gpu_frame_maker::stop() {
  using namespace std::chrono_literals;
  if (!state_->is_running) return;
  detail::store(state_->stop_word(), std::uint32_t{1});
  auto const limit = std::chrono::steady_clock::now() + 5s;
  auto said = cudaErrorNotReady;
  while ((said = cudaStreamQuery(state_->stream)) == cudaErrorNotReady && std::chrono::steady_clock::now() < limit)
    sleep_for(100us);
  require_cuda(said, "ending the kernel that makes frames");
  state_->is_running = false;
}

}  // namespace packetwarp::rdma::roce

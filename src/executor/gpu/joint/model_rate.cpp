// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/joint/model_rate.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <vector>

#include "executor/gpu/joint/judged_sample.h"
#include "feature/feature_state.h"
#include "function/group.h"
#include "gpu/cuda_check.h"
#include "gpu/gpu.h"

namespace packetwarp {
namespace {

// The clocks of one launch.
class launch_clock {
 public:
  launch_clock() {
    require_cuda(cudaEventCreate(&begin_), "an event");
    if (auto const made = cudaEventCreate(&end_); made != cudaSuccess) {
      cudaEventDestroy(begin_);
      require_cuda(made, "an event");
    }
  }
  ~launch_clock() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  launch_clock(launch_clock const&) = delete;
  launch_clock& operator=(launch_clock const&) = delete;

  // Seconds of the judgement of the sample, by a block per multiprocessor.
  [[nodiscard]] double judge(judged_sample const& what, unsigned blocks) const {
    require_cuda(cudaEventRecord(begin_), "recording an event");
    require_cuda(launch_judgement(what, blocks), "starting the judgement");
    require_cuda(cudaEventRecord(end_), "recording an event");
    require_cuda(cudaEventSynchronize(end_), "judging packets");
    float milliseconds = 0;
    require_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading the time");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t begin_{};
  cudaEvent_t end_{};
};

}  // namespace

double measure_packets_on_gpu(int gpu, std::span<std::byte const> network, sample_frames const& frames) {
  constexpr hash_key key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
  constexpr unsigned launches = 6;  // the first one warms up
  auto const blocks = static_cast<unsigned>(open_gpu(gpu).multiprocessors);
  device_memory const copy{gpu, network.size()};
  copy.write(0, network);
  device_memory const sample{gpu, frames.bytes.size()};
  sample.write(0, frames.bytes);
  feature::state_layout const layout{feature::state_sizes{}};
  device_memory const states{gpu, judged_sample::pipelines * layout.bytes()};
  auto const threads = std::size_t{blocks} * judged_sample::warps * joint_packets;
  device_memory const sink{gpu, threads * sizeof(std::int32_t)};
  judged_sample what{.frames = sample.data(),
                     .stride = frames.stride,
                     .length = frames.length,
                     .count = static_cast<std::uint32_t>(frames.bytes.size() / frames.stride),
                     .network = model::network_ref{copy.data()},
                     .states = {},
                     .first_epoch = 1,
                     .sink = reinterpret_cast<std::int32_t*>(sink.data())};
  for (unsigned n = 0; n < judged_sample::pipelines; ++n)
    what.states[n] = layout.ref(states.data() + n * layout.bytes(), key, nullptr);
  launch_clock const clock;
  std::vector<double> seconds;
  for (unsigned n = 0; n < launches; ++n) {
    auto const took = clock.judge(what, blocks);
    if (n != 0) seconds.push_back(took);
    what.first_epoch += judged_sample::groups / judged_sample::groups_per_epoch + 1;
  }
  std::sort(seconds.begin(), seconds.end());
  return double{judged_sample::groups} * static_cast<double>(threads) / seconds[seconds.size() / 2];
}

}  // namespace packetwarp

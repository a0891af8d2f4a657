// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The work of stage `detect` alone on a GPU: no rings, no verdicts. Packets of 10,000 flows lie in its memory, and
// warps judge them in groups, by a network of random weights. Prints the cycles per group of each phase: of a warp that
// is alone on its multiprocessor, as with few packets per second, with groups of 16 and of two (at 1 Mpps packetwarp
// run has 1.4 in the mean); and of 16 warps on each multiprocessor with groups of 32, with the rate.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "executor/gpu/joint/warp_group.cuh"
#include "feature/feature_state.h"
#include "fixtures/packet_builder.h"
#include "function/detect/detect.h"
#include "model/random_networks.h"

namespace packetwarp {
namespace {

constexpr hash_key key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
constexpr unsigned flows = 10'000;
constexpr unsigned stride = 64;
constexpr unsigned pipelines = 16;  // each has its own state
constexpr char const* phase_names[] = {"header", "row", "row into the room", "network", "all"};
constexpr unsigned phases = std::size(phase_names);

struct work {
  std::byte* frames;   // [flows], stride bytes each
  unsigned group;      // packets
  unsigned groups;     // of each warp
  unsigned per_epoch;  // groups of a warp in an epoch
  std::uint64_t first_epoch;
  detect_ref tables[pipelines];
  unsigned long long* cycles;  // by phase, of all warps
};

class stopwatch {
 public:
  __device__ explicit stopwatch(unsigned long long* into) : into_{into} { begin_ = last_ = clock64(); }
  __device__ void lap(unsigned phase) {
    __syncwarp();
    auto const now = clock64();
    if (threadIdx.x % 32 == 0) atomicAdd(into_ + phase, static_cast<unsigned long long>(now - last_));
    last_ = clock64();
  }
  __device__ void end() {
    if (threadIdx.x % 32 == 0) atomicAdd(into_ + phases - 1, static_cast<unsigned long long>(clock64() - begin_));
  }

 private:
  unsigned long long* into_;
  long long begin_;
  long long last_;
};

__global__ __launch_bounds__(512, 1) void judge_groups(work what) {
  extern __shared__ uint4 rooms[];
  auto& room = *reinterpret_cast<detect::room*>(reinterpret_cast<std::byte*>(rooms) +
                                                threadIdx.x / 32 * ((sizeof(detect::room) + 15) / 16 * 16));
  auto const lane = threadIdx.x % 32;
  auto const warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  auto const warps = gridDim.x * (blockDim.x / 32);
  for (unsigned i = 0; i < what.groups; ++i) {
    // A fence, as between a poll of the CPU's words and the work on a burst.
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_system);
    auto const held = detect::hold(what.tables[blockIdx.x % pipelines], what.first_epoch + i / what.per_epoch);
    auto const number = ((i * warps + warp) * what.group + lane) % flows;
    packet_view const view{what.frames + number * stride, 60, 60};
    stopwatch watch{what.cycles};
    feature::packed_row row{};
    feature::packet_facts facts{};
    if (lane < what.group) facts = feature::facts_of(view);
    watch.lap(0);
    if (lane < what.group) feature::observe(facts, held.epoch, held.tables.state, row);
    watch.lap(1);
    if (lane < what.group) detect_parts::put_row(row, lane, room.network);
    watch.lap(2);
    detect::work(device::warp_group{what.group}, held, room);
    watch.lap(3);
    watch.end();
  }
}

void require_cuda(cudaError_t result, char const* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string{what} + ": " + cudaGetErrorString(result));
}
template <class T>
[[nodiscard]] T* on_gpu(std::size_t bytes, void const* from = nullptr) {
  void* memory = nullptr;
  require_cuda(cudaMalloc(&memory, bytes), "GPU memory");
  require_cuda(from == nullptr ? cudaMemset(memory, 0, bytes) : cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice),
               "GPU memory");
  return static_cast<T*>(memory);
}

[[nodiscard]] model::integer_network dense(std::vector<std::uint32_t> const& widths) {
  model::test::random_networks networks{1};
  while (true) {
    auto made = networks.make_dense(widths);
    if (made.ref().header().input_table == 0) return made;
  }
}

// Memory is left to the process.
class bench {
 public:
  bench() {
    std::vector<std::byte> frames(std::size_t{flows} * stride);
    auto const frame = test::packet_builder{}.eth().ipv4("1.1.1.2", "2.2.2.2").udp(1024, 53).payload(18).build();
    for (unsigned i = 0; i < flows; ++i) {
      std::memcpy(&frames[i * stride], frame.data(), 60);
      frames[i * stride + 34] = static_cast<std::byte>(i >> 8);
      frames[i * stride + 35] = static_cast<std::byte>(i);
    }
    what_.frames = on_gpu<std::byte>(frames.size(), frames.data());
    feature::state_layout const layout{{.flows = 131'072, .hosts = 32'768}};
    for (auto& one : states_) one = layout.ref(on_gpu<std::byte>(layout.bytes()), key, nullptr);
    what_.cycles = on_gpu<unsigned long long>(phases * sizeof *what_.cycles);
    cudaDeviceProp facts{};
    require_cuda(cudaGetDeviceProperties(&facts, 0), "the GPU");
    processors_ = static_cast<unsigned>(facts.multiProcessorCount);
    std::printf("%s\n", facts.name);
  }

  void measure(char const* name, model::integer_network const& network) {
    detect_root root{};
    root.sets[0].models[0] = {model::network_ref{on_gpu<std::byte>(network.bytes().size(), network.bytes().data())}, 0};
    root.sets[0].count = 1;
    auto* const on_card = on_gpu<detect_root>(sizeof root, &root);
    for (unsigned n = 0; n < pipelines; ++n) {
      what_.tables[n] = {.root = on_card,
                         .counts = on_gpu<detect_count>(detect_counters * sizeof(detect_count)),
                         .state = states_[n],
                         .journal = {}};
    }
    std::printf("%s\n", name);
    // A burst of 16 packets per 16 us: 62 groups per epoch; of two: 500.
    run("  a warp alone, groups of 16", 1, 1, 16, 2000, 62);
    run("  a warp alone, groups of 2", 1, 1, 2, 2000, 500);
    run("  16 warps per multiprocessor, groups of 32", processors_, 16, 32, 500, 8);
  }

 private:
  void run(char const* name, unsigned blocks, unsigned warps, unsigned group, unsigned groups, unsigned per_epoch) {
    what_.group = group;
    what_.groups = groups;
    what_.per_epoch = per_epoch;
    auto const room_bytes = static_cast<int>(warps * ((sizeof(detect::room) + 15) / 16 * 16));
    require_cuda(cudaFuncSetAttribute(judge_groups, cudaFuncAttributeMaxDynamicSharedMemorySize, room_bytes), "rooms");
    cudaEvent_t begin, end;
    require_cuda(cudaEventCreate(&begin), "an event");
    require_cuda(cudaEventCreate(&end), "an event");
    float took = 0;
    for (int turn = 0; turn < 2; ++turn) {  // the first one warms up
      what_.first_epoch = epoch_;
      epoch_ += groups / per_epoch + 2;
      require_cuda(cudaMemset(what_.cycles, 0, phases * sizeof *what_.cycles), "cycles");
      require_cuda(cudaEventRecord(begin), "an event");
      judge_groups<<<blocks, warps * 32, room_bytes>>>(what_);
      require_cuda(cudaEventRecord(end), "an event");
      require_cuda(cudaEventSynchronize(end), "the work");
      require_cuda(cudaEventElapsedTime(&took, begin, end), "the time");
    }
    unsigned long long cycles[phases];
    require_cuda(cudaMemcpy(cycles, what_.cycles, sizeof cycles, cudaMemcpyDeviceToHost), "cycles");
    auto const all = static_cast<double>(blocks) * warps * groups;
    std::printf("%-44s %8.1f Mpps;", name, all * group / took / 1e3);
    for (unsigned n = 0; n < phases; ++n)
      std::printf(" %s %.0f,", phase_names[n], static_cast<double>(cycles[n]) / all);
    std::printf(" cycles\n");
  }

  work what_{};
  feature::state_ref states_[pipelines]{};
  std::uint64_t epoch_{5};
  unsigned processors_{};
};

void measure_all() {
  bench all;
  all.measure("36-64-32-1", dense({36, 64, 32, 1}));
  all.measure("50-128-64-2", dense({50, 128, 64, 2}));
  all.measure("100 trees of depth 6",
              model::test::random_networks{1}.make_trees(100, 6, 1, model::test::tree_shape::full));
}

}  // namespace
}  // namespace packetwarp

int main() {
  try {
    packetwarp::measure_all();
    return EXIT_SUCCESS;
  } catch (std::exception const& wrong) {
    std::fprintf(stderr, "detect_device_bench: %s\n", wrong.what());
    return EXIT_FAILURE;
  }
}

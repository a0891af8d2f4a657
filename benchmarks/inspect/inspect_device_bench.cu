// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The work of stage `inspect` alone on a GPU: no rings, no verdicts. PACKETWARP_RULES and PACKETWARP_CAPTURES are
// folders of *.rules and *.pcap. 16 warps on each multiprocessor, as in executors, judge all packets in groups of 32,
// in step as there; and a warp that is alone judges groups of 16, and of 5. Prints the rate with the packets in the
// GPU's memory and in the host's, the cycles of groups, and the cycles per packet of each phase; both have the waits
// for the groups beside.
#include <cuda/atomic>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "executor/gpu/joint/warp_group.cuh"
#include "function/inspection/inspection.h"
#include "function/inspection/inspection_table.h"
#include "inspect/compiled/compile.h"
#include "inspect/language/rule_file.h"
#include "traffic/capture/capture_reader.h"

namespace packetwarp {
namespace {

using namespace inspection_parts;

constexpr hash_key key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
constexpr unsigned warps = 16;
// Rounds of all warps, so that the last one, in which some have no group, counts little.
constexpr unsigned rounds = 40;
constexpr char const* phase_names[] = {"gathered",        "room",      "flows", "streams", "heads", "header rules",
                                       "facts and quiet", "judgement", "counts"};
constexpr unsigned phases = std::size(phase_names);

struct frame_place {
  std::uint32_t offset;
  std::uint32_t size;
};

struct work {
  std::byte* bytes;
  frame_place const* frames;
  unsigned count;
  unsigned group;  // packets of one
  unsigned repeats;
  inspection_ref tables;
  unsigned long long* cycles;  // by phase
  unsigned* told;              // a word that is acquired before each round, which empties an L1 cache
  unsigned* next;              // the first group that no warp has taken
  unsigned* of_groups;         // cycles of each group of packets, in the last repeat: of all, then of each phase

  [[nodiscard]] __host__ __device__ unsigned groups() const { return (count + group - 1) / group; }
};

// A launch.
struct shape {
  unsigned blocks;
  unsigned warps;
};

// The cycles of one warp.
class stopwatch {
 public:
  __device__ stopwatch(unsigned long long* into, unsigned* of_group, unsigned groups)
      : into_{into}, of_group_{of_group}, groups_{groups} {
    last_ = clock64();
  }
  __device__ void lap(unsigned phase) {
    __syncwarp();
    auto const passed = clock64() - last_;
    if (threadIdx.x % 32 == 0) {
      atomicAdd(into_ + phase, static_cast<unsigned long long>(passed));
      of_group_[(phase + 1) * groups_] = static_cast<unsigned>(passed);
    }
    last_ = clock64();
  }

 private:
  unsigned long long* into_;
  unsigned* of_group_;
  unsigned groups_;
  long long last_;
};

// inspection::work() by phases, as begin_group(), judge_together() and end_group() have them.
__device__ void judge_by_phases(device::warp_group const& group, inspection_ref const& tables, inspection_room& room,
                                stopwatch& watch) {
  bool const has_packets = group.packets() != 0;
  auto const& set = tables.root->sets[has_packets ? room.set : 0];
  unsigned next = 1;
  auto const phase = [&](auto&& work) {
    if (has_packets) {
      work();
      watch.lap(next);
    }
    ++next;
  };
  group.meet();
  phase([&] { begin_room(group, tables, room); });
  phase([&] { follow_group(group, tables, room); });
  group.meet();
  phase([&] { carry_streams(group, tables, set, room); });
  group.meet();
  phase([&] { read_heads(group, tables, set, room); });
  group.meet();
  phase([&] { find_group_rules(group, tables, set.rules, room); });
  group.meet();
  trial_counts counted{};
  counted.work = lane_work::begin();
  if (has_packets) {
    joint_judge together{group, tables, set, room, counted};
    watch.lap(next++);
    judge_by(together, group, tables, set, room, counted);
    watch.lap(next++);
  }
  group.meet();
  phase([&] { end_group(group, tables, room, counted); });
}

template <bool ByPhases>
__global__ __launch_bounds__(warps * 32, 1) void judge_all(work what) {
  extern __shared__ uint4 rooms[];
  __shared__ unsigned first_of_round;
  auto& room = *reinterpret_cast<inspection_room*>(reinterpret_cast<std::byte*>(rooms) +
                                                   threadIdx.x / 32 * ((sizeof(inspection_room) + 15) / 16 * 16));
  auto const lane = threadIdx.x % 32;
  auto const groups = what.groups();
  auto const held = inspection::hold(what.tables);
  for (;;) {
    if (threadIdx.x == 0) {
      (void)cuda::atomic_ref<unsigned, cuda::thread_scope_system>{*what.told}.load(cuda::memory_order_acquire);
      first_of_round = atomicAdd(what.next, blockDim.x / 32);
    }
    __syncthreads();
    auto const begin = first_of_round;
    __syncthreads();
    if (begin >= groups * what.repeats) return;
    auto const i = begin + threadIdx.x / 32;
    auto const first = i % groups * what.group;
    auto const left = i < groups * what.repeats ? what.count - first : 0;
    auto const packets = left < what.group ? left : what.group;
    stopwatch watch{what.cycles, what.of_groups + i % groups, groups};
    if (lane < packets) {
      auto const& place = what.frames[first + lane];
      inspection::gather({what.bytes + place.offset, place.size, place.size}, lane, held, room);
    }
    __syncwarp();
    device::warp_group const group{packets, device::stepping::in_step};
    if constexpr (ByPhases) {
      if (packets != 0) watch.lap(0);
      judge_by_phases(group, what.tables, room, watch);
    } else {
      auto const began = clock64();
      inspection::work(group, held, room);
      if (lane == 0 && packets != 0) what.of_groups[i % groups] = static_cast<unsigned>(clock64() - began);
    }
    __syncwarp();
  }
}

void require_cuda(cudaError_t result, char const* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string{what} + ": " + cudaGetErrorString(result));
}

[[nodiscard]] std::vector<std::string> files_of(char const* variable, std::string_view extension) {
  auto const* folder = std::getenv(variable);
  if (folder == nullptr) throw std::runtime_error("set PACKETWARP_RULES and PACKETWARP_CAPTURES to folders");
  std::vector<std::string> made;
  for (auto const& file : std::filesystem::recursive_directory_iterator{folder}) {
    if (file.path().extension() == extension) made.push_back(file.path());
  }
  std::sort(made.begin(), made.end());
  return made;
}

// Whole frames of the captures, each at a multiple of 64 bytes.
struct frames {
  std::vector<std::byte> bytes;
  std::vector<frame_place> places;
  std::uint64_t sizes{};

  frames() {
    constexpr std::size_t most = std::size_t{64} << 20;
    for (auto const& file : files_of("PACKETWARP_CAPTURES", ".pcap")) {
      try {
        traffic::capture_reader reader{file};
        traffic::capture_reader::packet packet;
        while (bytes.size() < most && reader.next(packet)) add(packet);
      } catch (failure const&) {
        continue;  // another link type
      }
    }
    if (places.empty()) throw std::runtime_error("PACKETWARP_CAPTURES has no frames");
  }
  void add(traffic::capture_reader::packet const& packet) {
    auto const size = packet.bytes.size();
    if (size != packet.length || size > 1514) return;
    places.push_back({static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint32_t>(size)});
    bytes.insert(bytes.end(), packet.bytes.begin(), packet.bytes.end());
    bytes.resize((bytes.size() + 63) / 64 * 64);
    sizes += size;
  }
};

template <class T>
[[nodiscard]] T* copied_to_gpu(std::vector<T> const& from) {
  void* made = nullptr;
  require_cuda(cudaMalloc(&made, from.size() * sizeof(T)), "GPU memory");
  require_cuda(cudaMemcpy(made, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "a copy");
  return static_cast<T*>(made);
}

class bench {
 public:
  bench() : shared_{warps * ((sizeof(inspection_room) + 15) / 16 * 16)} {
    cudaDeviceProp facts{};
    require_cuda(cudaGetDeviceProperties(&facts, 0), "the GPU");
    blocks_ = static_cast<unsigned>(facts.multiProcessorCount);
    std::printf("%s, %u multiprocessors\n", facts.name, blocks_);
    void (*const kernels[])(work) = {judge_all<false>, judge_all<true>};
    for (auto* const kernel : kernels) {
      require_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_)),
                   "shared memory");
    }
    require_cuda(cudaEventCreate(&begin_), "an event");
    require_cuda(cudaEventCreate(&end_), "an event");
  }
  ~bench() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  bench(bench const&) = delete;
  bench& operator=(bench const&) = delete;

  [[nodiscard]] unsigned repeats_of(std::size_t frames) const {
    auto const groups = (frames + 31) / 32;
    return static_cast<unsigned>((std::size_t{rounds} * warps * blocks_ + groups - 1) / groups);
  }

  // The best of three runs, after one that brings the rules near and begins the flows.
  template <bool ByPhases>
  [[nodiscard]] double milliseconds(work const& what, shape by) {
    float best = 0;
    for (int run = 0; run < 4; ++run) {
      require_cuda(cudaMemset(what.cycles, 0, phases * sizeof *what.cycles), "zeroes");
      require_cuda(cudaMemset(what.next, 0, sizeof *what.next), "zeroes");
      require_cuda(cudaEventRecord(begin_), "an event");
      judge_all<ByPhases><<<by.blocks, by.warps * 32, shared_>>>(what);
      require_cuda(cudaEventRecord(end_), "an event");
      require_cuda(cudaEventSynchronize(end_), "the measured work");
      float took = 0;
      require_cuda(cudaEventElapsedTime(&took, begin_, end_), "the time");
      if (run == 1 || (run > 1 && took < best)) best = took;
    }
    return best;
  }

  // The longest groups bound the rate: a ring, and a launch, wait for them.
  void print_groups(char const* where, work const& what) {
    auto const cycles = cycles_of_groups(what, 0);
    auto sorted = cycles;
    std::sort(sorted.begin(), sorted.end());
    auto const at = [&](double part) {
      return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
    };
    auto const mean = std::accumulate(cycles.begin(), cycles.end(), 0.0) / static_cast<double>(cycles.size());
    std::printf("%-8s cycles of a group: mean %.0f, p50 %u, p90 %u, p99 %u, most %u (group %td)\n", where, mean,
                at(0.5), at(0.9), at(0.99), at(1), std::max_element(cycles.begin(), cycles.end()) - cycles.begin());
  }

  [[nodiscard]] static std::vector<unsigned> cycles_of_groups(work const& what, unsigned part) {
    std::vector<unsigned> cycles(what.groups());
    require_cuda(cudaMemcpy(cycles.data(), what.of_groups + part * cycles.size(), cycles.size() * sizeof cycles[0],
                            cudaMemcpyDeviceToHost),
                 "cycles of groups");
    return cycles;
  }
  // After a run by phases: the groups for which this phase was the longest.
  void print_longest(char const* where, work const& what, unsigned phase) {
    auto const cycles = cycles_of_groups(what, phase + 1);
    std::vector<unsigned> numbers(cycles.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    std::partial_sort(numbers.begin(), numbers.begin() + 5, numbers.end(),
                      [&](unsigned a, unsigned b) { return cycles[a] > cycles[b]; });
    std::printf("%-8s %-20s longest:", where, phase_names[phase]);
    for (unsigned n = 0; n < 5; ++n) std::printf(" %u (group %u)", cycles[numbers[n]], numbers[n]);
    std::printf("\n");
  }

  void measure(char const* where, work const& what, frames const& all) {
    shape const full{blocks_, warps};
    auto const took = milliseconds<false>(what, full) * 1e-3;
    auto const packets = static_cast<double>(what.repeats) * what.count;
    std::printf("%-8s %8.2f Mpps %8.1f Gb/s of frames %10.0f ns per packet and warp\n", where, packets / took * 1e-6,
                8e-9 * what.repeats * static_cast<double>(all.sizes) / took, took * blocks_ * warps / packets * 1e9);
    print_cycles(where, what, full);
  }
  void measure_alone(char const* where, work what, unsigned group) {
    constexpr unsigned most_groups = 1000;
    what.group = group;
    what.repeats = 1;
    what.count = std::min(what.count, what.group * most_groups);
    shape const alone{1, 1};
    (void)milliseconds<false>(what, alone);
    print_cycles(where, what, alone);
  }

 private:
  void print_cycles(char const* where, work const& what, shape by) {
    auto const packets = static_cast<double>(what.repeats) * what.count;
    print_groups(where, what);
    (void)milliseconds<true>(what, by);
    std::vector<unsigned long long> cycles(phases);
    require_cuda(cudaMemcpy(cycles.data(), what.cycles, phases * sizeof cycles[0], cudaMemcpyDeviceToHost), "cycles");
    for (unsigned phase = 0; phase < phases; ++phase) {
      std::printf("%-8s %-20s %8.0f cycles per packet\n", where, phase_names[phase],
                  static_cast<double>(cycles[phase]) / packets);
      print_longest(where, what, phase);
    }
  }

  std::size_t shared_;
  unsigned blocks_{};
  cudaEvent_t begin_{};
  cudaEvent_t end_{};
};

void measure_all() {
  bench all;
  auto const rules = inspect::read_rule_files(files_of("PACKETWARP_RULES", ".rules"), inspect::variables{});
  auto const compiled = inspect::compile_rules(rules);
  inspection_table const table{{.rules = compiled, .count = rules.rules.size()},
                               regex_engines{},
                               {.flows = 1U << 20, .rates = 1U << 16, .streams = {.streams = 0}},
                               key,
                               1,
                               table_place{.gpu = 0}};
  frames packets;
  std::printf("%zu frames of %.1f bytes, %u rules\n", packets.places.size(),
              static_cast<double>(packets.sizes) / static_cast<double>(packets.places.size()),
              compiled.ref().header().rules.count);
  std::vector<unsigned long long> const cycles(phases);
  std::vector<unsigned> const of_groups((packets.places.size() + 4) / 5 * (phases + 1));
  work what{copied_to_gpu(packets.bytes),
            copied_to_gpu(packets.places),
            static_cast<unsigned>(packets.places.size()),
            32,
            all.repeats_of(packets.places.size()),
            table.ref(0),
            copied_to_gpu(cycles),
            copied_to_gpu(std::vector<unsigned>(1)),
            copied_to_gpu(std::vector<unsigned>(1)),
            copied_to_gpu(of_groups)};
  all.measure("device", what, packets);
  require_cuda(cudaHostRegister(packets.bytes.data(), packets.bytes.size(), cudaHostRegisterDefault), "host memory");
  what.bytes = packets.bytes.data();
  all.measure("host", what, packets);
  // As many as a burst of 16 has at most, and as it has with a million packets per second.
  all.measure_alone("alone 16", what, 16);
  all.measure_alone("alone 5", what, 5);
}

}  // namespace
}  // namespace packetwarp

int main() {
  try {
    packetwarp::measure_all();
    return EXIT_SUCCESS;
  } catch (std::exception const& wrong) {
    std::fprintf(stderr, "inspect_device_bench: %s\n", wrong.what());
    return EXIT_FAILURE;
  }
}

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The parts of a burst's way through a persistent kernel: trips of one warp to pinned host memory, and rounds between a
// polling CPU thread and a polling warp. Prints one number per line, in ns: medians. Needs a GPU.
#include <cuda/atomic>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace packetwarp {
namespace {

constexpr unsigned lanes = 32;
constexpr unsigned line = 128;  // bytes
constexpr unsigned rounds = 2000;
constexpr unsigned lines = rounds * lanes;  // each is read once: none is in a cache
constexpr std::uint64_t last_round = ~std::uint64_t{0};

void require_cuda(cudaError_t result, char const* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string{what} + ": " + cudaGetErrorString(result));
}

// Pinned host memory.
template <class T>
class shared_array {
 public:
  explicit shared_array(std::size_t n) {
    require_cuda(cudaHostAlloc(reinterpret_cast<void**>(&data_), n * sizeof(T), cudaHostAllocDefault), "pinned memory");
    std::fill_n(data_, n, T{});
  }
  ~shared_array() { cudaFreeHost(data_); }
  shared_array(shared_array const&) = delete;
  shared_array& operator=(shared_array const&) = delete;
  [[nodiscard]] T* get() const { return data_; }
  T& operator[](std::size_t n) const { return data_[n]; }

 private:
  T* data_{};
};

struct alignas(line) host_line {
  std::uint64_t word[line / sizeof(std::uint64_t)];
};
using word_ref = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;

__device__ std::uint64_t now_ns() {
  std::uint64_t time = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

// Multiprocessor clocks of each round, and the wall clock of all rounds.
struct timings {
  std::uint64_t* clocks;
  std::uint64_t* total_ns;
  std::uint64_t* total_clocks;
};

template <class Step>
__device__ void time_rounds(timings into, Step step) {
  auto const began_ns = now_ns();
  auto const began = clock64();
  for (unsigned n = 0; n < rounds; ++n) {
    __syncwarp();
    auto const before = clock64();
    step(n);
    __syncwarp();
    if (threadIdx.x == 0) into.clocks[n] = static_cast<std::uint64_t>(clock64() - before);
  }
  if (threadIdx.x != 0) return;
  *into.total_clocks = static_cast<std::uint64_t>(clock64() - began);
  *into.total_ns = now_ns() - began_ns;
}

enum class trip : std::uint8_t { read_one, read_all, fence, write_one_fence, write_all_fence };

// read_one: lane 0 reads a word. read_all: each lane reads a word of a line of its own. fence: without writes.
// write_*_fence: words are written, and a fence for the whole system follows, as in a release store.
template <trip What>
__global__ void time_trip(host_line* host, timings into, std::uint64_t* sink) {
  std::uint64_t sum = 0;
  time_rounds(into, [&](unsigned n) {
    auto& own = host[n * lanes + threadIdx.x].word[0];
    constexpr bool reads = What == trip::read_one || What == trip::read_all;
    bool const takes_part = threadIdx.x == 0 || What == trip::read_all || What == trip::write_all_fence;
    if constexpr (reads) {
      if (takes_part) sum += word_ref{own}.load(cuda::memory_order_relaxed);
      sum = __shfl_xor_sync(0xffffffff, sum, 1);  // waits for it
    } else {
      if (takes_part && What != trip::fence) word_ref{own}.store(n, cuda::memory_order_relaxed);
      __syncwarp();
      if (threadIdx.x == 0) cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
    }
  });
  sink[threadIdx.x] = sum;
}

// The steps of a persistent kernel for a burst, beside the work itself.
enum class echo : std::uint8_t { word, word_and_fence, burst };

template <echo What>
__global__ void answer(host_line* asked, host_line* answered, host_line* packets) {
  for (std::uint64_t next = 1;; ++next) {
    std::uint64_t seen = 0;
    do {
      if (threadIdx.x == 0) seen = word_ref{asked->word[0]}.load(cuda::memory_order_acquire);
      seen = __shfl_sync(0xffffffff, seen, 0);
      if (seen == last_round) return;
    } while (seen < next);
    if constexpr (What == echo::burst) {
      auto& packet = *reinterpret_cast<uint4*>(&packets[(next % rounds) * lanes + threadIdx.x]);
      auto const header = packet;
      packet = uint4{header.y, header.x, header.w, header.z};
      __syncwarp();
    }
    if (threadIdx.x == 0) {
      word_ref{answered->word[0]}.store(next,
                                        What == echo::word ? cuda::memory_order_relaxed : cuda::memory_order_release);
    }
  }
}

[[nodiscard]] double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <trip What>
void print_trip(char const* name) {
  shared_array<host_line> host{lines};
  shared_array<std::uint64_t> clocks{rounds}, totals{2}, sink{lanes};
  auto* device_clocks = static_cast<std::uint64_t*>(nullptr);
  require_cuda(cudaMalloc(reinterpret_cast<void**>(&device_clocks), rounds * sizeof(std::uint64_t)), "GPU memory");
  time_trip<What><<<1, lanes>>>(host.get(), {device_clocks, &totals[0], &totals[1]}, sink.get());
  require_cuda(cudaDeviceSynchronize(), name);
  require_cuda(cudaMemcpy(clocks.get(), device_clocks, rounds * sizeof(std::uint64_t), cudaMemcpyDeviceToHost), name);
  require_cuda(cudaFree(device_clocks), name);
  auto const ns_a_clock = static_cast<double>(totals[0]) / static_cast<double>(totals[1]);
  std::vector<double> each;
  for (unsigned n = 0; n < rounds; ++n) each.push_back(static_cast<double>(clocks[n]) * ns_a_clock);
  std::printf("%-58s %8.0f ns\n", name, median(std::move(each)));
}

template <echo What>
void print_echo(char const* name) {
  shared_array<host_line> words{2}, packets{lines};
  answer<What><<<1, lanes>>>(&words[0], &words[1], packets.get());
  require_cuda(cudaGetLastError(), name);
  word_ref const asked{words[0].word[0]}, answered{words[1].word[0]};
  std::vector<double> each;
  for (std::uint64_t n = 1; n <= rounds; ++n) {
    // As cold as a packet that a NIC has just written.
    for (unsigned i = 0; i < lanes; ++i) packets[(n % rounds) * lanes + i].word[0] = n;
    auto const began = std::chrono::steady_clock::now();
    asked.store(n, cuda::memory_order_release);
    while (answered.load(cuda::memory_order_acquire) != n) {
    }
    each.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count());
  }
  asked.store(last_round, cuda::memory_order_release);
  require_cuda(cudaDeviceSynchronize(), name);
  std::printf("%-58s %8.0f ns\n", name, median(std::move(each)));
}

int print_all() {
  cudaDeviceProp facts{};
  require_cuda(cudaGetDeviceProperties(&facts, 0), "the GPU");
  std::printf("%s, one warp, medians of %u\n", facts.name, rounds);
  print_trip<trip::read_one>("a word read from host memory");
  print_trip<trip::read_all>("32 words of 32 lines, read together");
  print_trip<trip::fence>("a system-wide fence, nothing written");
  print_trip<trip::write_one_fence>("a word written to host memory, and a fence");
  print_trip<trip::write_all_fence>("32 words of 32 lines written, and a fence");
  print_echo<echo::word>("CPU to polling warp and back, a word");
  print_echo<echo::word_and_fence>("the same, a fence before the answer");
  print_echo<echo::burst>("the same, 32 packets read and written in between");
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace packetwarp

int main() {
  try {
    return packetwarp::print_all();
  } catch (std::exception const& wrong) {
    std::fprintf(stderr, "host_latency_bench: %s\n", wrong.what());
    return EXIT_FAILURE;
  }
}

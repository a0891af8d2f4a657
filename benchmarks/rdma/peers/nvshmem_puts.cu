// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Writes from one GPU into another by NVSHMEM's device functions and by rdma/direct_put.h, in the same loops, into the
// same memory, in turn: blocks that put, threads that put 8 bytes, and a put with a signal there and back. Prints a
// line per measurement: median, least and most of five, and the ratio of the medians. With the word `sizes` it prints,
// as JSON, the rates of NVSHMEM's puts by bytes and of a copy by CUDA, for python/gpu/write_sizes.py.
// Two GPUs; build.sh builds it against NVSHMEM's wheel. Nothing of NVSHMEM is part of packetwarp.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "rdma/direct_put.h"

namespace {

namespace rdma = packetwarp::rdma;

constexpr int runs = 5;
constexpr std::size_t heap_bytes = std::size_t{256} << 20;
constexpr rdma::patience limit{5'000'000'000};

// The word before it says that NVSHMEM's part of this program knows shared memory for bulk copies.
#if NVSHMEM_VENDOR_MAJOR_VERSION > 3 || NVSHMEM_VENDOR_MINOR_VERSION >= 7
#define HAS_BULK_COPIES 1
#else
#define HAS_BULK_COPIES 0
#endif

void must(cudaError_t said, char const* what) {
  if (said == cudaSuccess) return;
  std::fprintf(stderr, "nvshmem_puts: %s: %s\n", what, cudaGetErrorString(said));
  std::_Exit(1);
}

enum class by { nvshmem, nvshmem_bulk, direct };

struct places {
  std::byte* own;         // symmetric
  std::byte* peer;        // the same place of the other GPU, at an address that stores reach
  std::uint64_t* signal;  // symmetric
  std::uint64_t* peer_signal;
  int other;
};

template <by Way>
__device__ void finish() {
  if constexpr (Way == by::direct) {
    rdma::finish_puts(rdma::whole_block{});
  } else {
    __syncthreads();
    if (threadIdx.x == 0) nvshmem_quiet();
    __syncthreads();
  }
}

// Each block puts its share of the bytes, `iterations` times.
template <by Way>
__global__ __launch_bounds__(1024) void put_blocks(places at, std::size_t bytes, int iterations, int shared_bytes) {
  extern __shared__ __align__(16) char shared[];
#if HAS_BULK_COPIES
  if constexpr (Way == by::nvshmem_bulk) {
    nvshmemx_give_smem(shared, shared_bytes);
    __syncthreads();
  }
#endif
  auto const place = blockIdx.x * bytes;
  for (int i = 0; i < iterations; ++i) {
    if constexpr (Way == by::direct) {
      rdma::put(rdma::whole_block{}, at.peer + place + heap_bytes / 2, at.own + place, bytes);
    } else {
      nvshmemx_putmem_nbi_block(at.own + place + heap_bytes / 2, at.own + place, bytes, at.other);
    }
  }
  finish<Way>();
#if HAS_BULK_COPIES
  if constexpr (Way == by::nvshmem_bulk) nvshmemx_release_smem();
#endif
}

// All blocks wait for each other. arrived, left: counts that begin at 0; n: of the waits so far.
__device__ void await_blocks(unsigned* arrived, unsigned volatile* left, unsigned n) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(arrived, 1) + 1 == gridDim.x * (n + 1)) *left = n + 1;
    while (*left != n + 1) {
    }
  }
  __syncthreads();
}

// NVSHMEM's perftest's loop (shmem_put_bw): the blocks share one put between them, and wait for each other after each.
template <by Way>
__global__ __launch_bounds__(1024) void put_in_step(places at, std::size_t bytes, int iterations, int shared_bytes,
                                                    unsigned* counts) {
  extern __shared__ __align__(16) char shared[];
#if HAS_BULK_COPIES
  if constexpr (Way == by::nvshmem_bulk) {
    nvshmemx_give_smem(shared, shared_bytes);
    __syncthreads();
  }
#endif
  auto const share = bytes / gridDim.x, place = blockIdx.x * share;
  for (int i = 0; i < iterations; ++i) {
    if constexpr (Way == by::direct) {
      rdma::put(rdma::whole_block{}, at.peer + place, at.own + place, share);
    } else {
      nvshmemx_double_put_nbi_block(reinterpret_cast<double*>(at.own + place),
                                    reinterpret_cast<double*>(at.own + place), share / sizeof(double), at.other);
    }
    await_blocks(counts, counts + 1, static_cast<unsigned>(i));
  }
  finish<Way>();
#if HAS_BULK_COPIES
  if constexpr (Way == by::nvshmem_bulk) nvshmemx_release_smem();
#endif
}

// Each block puts 512 messages, a thread or a warp puts one at a time: the writes of `rdma-bw --transport store`.
constexpr std::size_t messages = 512;
constexpr int message_threads = 512;
template <bool ByWarp>
__global__ __launch_bounds__(message_threads) void put_messages(places at, std::size_t bytes, int iterations) {
  auto const group = ByWarp ? threadIdx.x / 32 : threadIdx.x, groups = ByWarp ? blockDim.x / 32 : blockDim.x;
  for (int i = 0; i < iterations; ++i) {
    for (auto n = group; n < messages; n += groups) {
      auto const place = (blockIdx.x * messages + n) * bytes;
      auto* const to = at.own + heap_bytes / 2 + place;
      if constexpr (ByWarp) {
        nvshmemx_putmem_nbi_warp(to, at.own + place, bytes, at.other);
      } else {
        nvshmem_putmem_nbi(to, at.own + place, bytes, at.other);
      }
    }
  }
  finish<by::nvshmem>();
}

// NVSHMEM's perftest's loop (shmem_p_bw): each thread puts words, side by side with its neighbours, two between two
// barriers of its block.
template <by Way>
__global__ __launch_bounds__(1024) void put_words(places at, std::size_t words, int iterations) {
  auto const* const from = reinterpret_cast<std::uint64_t const*>(at.own);
  auto* const to = reinterpret_cast<std::uint64_t*>(at.own + heap_bytes / 2);
  auto* const peer = reinterpret_cast<std::uint64_t*>(at.peer + heap_bytes / 2);
  std::size_t const stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t const first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int i = 0; i < iterations; ++i) {
    for (auto n = first; n + stride < words; n += 2 * stride) {
      if constexpr (Way == by::direct) {
        rdma::put_word(peer + n, from[n]);
        rdma::put_word(peer + n + stride, from[n + stride]);
      } else {
        nvshmem_uint64_p(to + n, from[n], at.other);
        nvshmem_uint64_p(to + n + stride, from[n + stride], at.other);
      }
      __syncthreads();
    }
  }
  finish<Way>();
}

template <by Way, class Group>
__device__ void put_and_signal(Group const& group, places const& at, std::size_t bytes, std::uint64_t n) {
  if constexpr (Way == by::direct) {
    rdma::put_with_signal(group, at.peer + heap_bytes / 2, at.own, bytes, at.peer_signal, n);
  } else if constexpr (std::is_same_v<Group, rdma::single_thread>) {
    nvshmem_putmem_signal_nbi(at.own + heap_bytes / 2, at.own, bytes, at.signal, n, NVSHMEM_SIGNAL_SET, at.other);
  } else if constexpr (std::is_same_v<Group, rdma::whole_warp>) {
    nvshmemx_putmem_signal_nbi_warp(at.own + heap_bytes / 2, at.own, bytes, at.signal, n, NVSHMEM_SIGNAL_SET, at.other);
  } else {
    nvshmemx_putmem_signal_nbi_block(at.own + heap_bytes / 2, at.own, bytes, at.signal, n, NVSHMEM_SIGNAL_SET,
                                     at.other);
  }
}

// NVSHMEM's perftest's loop: the first end puts and waits, the second waits and puts.
template <by Way, class Group>
__global__ __launch_bounds__(1024) void ping_pong(places at, std::size_t bytes, int iterations, bool is_first) {
  Group const group;
  for (std::uint64_t n = 1; n <= static_cast<std::uint64_t>(iterations); ++n) {
    if (is_first) put_and_signal<Way>(group, at, bytes, n);
    if (group.thread_rank() == 0) {
      if constexpr (Way == by::direct) {
        if (!rdma::await_signal(*at.signal, n, limit)) return;
      } else {
        nvshmem_uint64_wait_until(at.signal, NVSHMEM_CMP_EQ, n);
      }
    }
    group.sync();
    if (!is_first) put_and_signal<Way>(group, at, bytes, n);
  }
}

class measurer {
 public:
  explicit measurer(int rank) : rank_{rank} {
    must(cudaEventCreate(&began_), "an event");
    must(cudaEventCreate(&ended_), "an event");
    at_.own = static_cast<std::byte*>(nvshmem_malloc(heap_bytes));
    at_.signal = static_cast<std::uint64_t*>(nvshmem_calloc(1, sizeof(std::uint64_t)));
    at_.other = 1 - rank;
    at_.peer = static_cast<std::byte*>(nvshmem_ptr(at_.own, at_.other));
    at_.peer_signal = static_cast<std::uint64_t*>(nvshmem_ptr(at_.signal, at_.other));
    if (at_.own == nullptr || at_.peer == nullptr || at_.peer_signal == nullptr) {
      std::fprintf(stderr, "nvshmem_puts: the GPUs do not reach each other's memory\n");
      std::_Exit(1);
    }
    must(cudaMemset(at_.own, 1 + rank, heap_bytes), "filling memory");
    must(cudaDeviceSynchronize(), "filling memory");
  }
  ~measurer() {
    nvshmem_free(at_.signal);
    nvshmem_free(at_.own);
  }
  measurer(measurer const&) = delete;
  measurer& operator=(measurer const&) = delete;

  void measure_blocks() {
    for (auto const& [blocks, threads] :
         {std::pair{1, 1024}, {8, 1024}, {32, 256}, {32, 512}, {32, 1024}, {64, 1024}, {128, 512}}) {
      for (std::size_t const bytes : {std::size_t{4096}, std::size_t{65536}, std::size_t{1} << 20}) {
        std::vector<double> of_peer, of_bulk, ours;
        for (int run = 0; run < runs; ++run) {
          of_peer.push_back(blocks_rate<by::nvshmem>(blocks, threads, bytes));
          ours.push_back(blocks_rate<by::direct>(blocks, threads, bytes));
          if (HAS_BULK_COPIES) of_bulk.push_back(blocks_rate<by::nvshmem_bulk>(blocks, threads, bytes));
        }
        auto const name = "put, " + std::to_string(blocks) + " blocks x " + std::to_string(threads) + ", " +
                          std::to_string(bytes) + " B each";
        print(name, "GB/s", of_peer, ours, of_bulk);
      }
    }
  }
  void measure_in_step() {
    for (auto const& [blocks, threads] : {std::pair{4, 1024}, {16, 1024}, {32, 256}, {32, 1024}}) {
      for (std::size_t bytes = 64 << 10; bytes <= std::size_t{32} << 20; bytes *= 8) {
        std::vector<double> of_peer, of_bulk, ours;
        for (int run = 0; run < runs; ++run) {
          of_peer.push_back(in_step_rate<by::nvshmem>(blocks, threads, bytes));
          ours.push_back(in_step_rate<by::direct>(blocks, threads, bytes));
          if (HAS_BULK_COPIES) of_bulk.push_back(in_step_rate<by::nvshmem_bulk>(blocks, threads, bytes));
        }
        print("put in step, " + std::to_string(blocks) + " blocks x " + std::to_string(threads) + ", " +
                  std::to_string(bytes) + " B in all",
              "GB/s", of_peer, ours, of_bulk);
      }
    }
  }
  void measure_words() {
    for (auto const& [blocks, threads] :
         {std::pair{4, 1024}, {32, 256}, {32, 512}, {32, 1024}, {128, 512}, {132, 1024}}) {
      std::vector<double> of_peer, ours;
      for (int run = 0; run < runs; ++run) {
        of_peer.push_back(words_rate<by::nvshmem>(blocks, threads));
        ours.push_back(words_rate<by::direct>(blocks, threads));
      }
      print("8-byte puts, " + std::to_string(blocks) + " blocks x " + std::to_string(threads), "M/s", of_peer, ours,
            {});
    }
  }
  void measure_sizes() {
    if (rank_ == 0) std::printf("{\"puts\": [");
    char const* between = "";
    for (int const blocks : {1, 64}) {
      for (std::size_t bytes = 64; bytes <= 4096; bytes *= 2) {
        std::vector<double> by_thread, by_warp;
        for (int run = 0; run < runs; ++run) {
          by_thread.push_back(messages_rate<false>(blocks, bytes));
          by_warp.push_back(messages_rate<true>(blocks, bytes));
        }
        for (auto const& [whose, rates] : {std::pair{"thread", &by_thread}, {"warp", &by_warp}}) {
          if (rank_ != 0) continue;
          std::printf("%s{\"by\": \"%s\", \"blocks\": %d, \"bytes\": %zu, \"mib\": %s}", between, whose, blocks, bytes,
                      listed(*rates).c_str());
          between = ", ";
        }
      }
    }
    std::vector<double> copies;
    for (int run = 0; run < runs; ++run) copies.push_back(copy_rate());
    if (rank_ == 0) std::printf("], \"link_mib\": %s}\n", listed(copies).c_str());
  }
  void measure_ping_pong() {
    for (std::size_t const bytes : {8, 64, 1024}) ping<rdma::single_thread>("a thread", 1, bytes);
    for (std::size_t const bytes : {8, 1024, 4096}) ping<rdma::whole_warp>("a warp", 32, bytes);
    for (std::size_t const bytes : {8, 4096, 65536, 1048576}) ping<rdma::whole_block>("a block of 512", 512, bytes);
  }

 private:
  // Only rank 0 measures; both wait for each other.
  template <class Work>
  double seconds(Work const& work) {
    nvshmem_barrier_all();
    float ms = 0;
    must(cudaEventRecord(began_), "an event");
    work();
    must(cudaGetLastError(), "starting a kernel");
    must(cudaEventRecord(ended_), "an event");
    must(cudaEventSynchronize(ended_), "a kernel");
    must(cudaEventElapsedTime(&ms, began_, ended_), "an event");
    nvshmem_barrier_all();
    return ms / 1e3;
  }
  template <by Way>
  double blocks_rate(int blocks, int threads, std::size_t bytes) {
    // About 4 GB of traffic.
    auto const iterations = static_cast<int>(std::clamp<std::size_t>(
        (std::size_t{4} << 30) / (bytes * static_cast<std::size_t>(blocks)) / (blocks == 1 ? 8 : 1), 10, 20000));
    int shared_bytes = 0;
#if HAS_BULK_COPIES
    if (Way == by::nvshmem_bulk) shared_bytes = nvshmemx_ask_smem(NVSHMEMX_SMEM_RECOMMENDED);
#endif
    must(cudaFuncSetAttribute(put_blocks<Way>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
         "shared memory");
    auto const go = [&](int count) {
      if (rank_ == 0)
        put_blocks<Way><<<blocks, threads, static_cast<std::size_t>(shared_bytes)>>>(at_, bytes, count, shared_bytes);
    };
    (void)seconds([&] { go(10); });
    auto const took = seconds([&] { go(iterations); });
    return static_cast<double>(bytes) * blocks * iterations / took / 1e9;
  }
  template <by Way>
  double in_step_rate(int blocks, int threads, std::size_t bytes) {
    auto const iterations = static_cast<int>(std::clamp<std::size_t>((std::size_t{4} << 30) / bytes, 10, 20000));
    int shared_bytes = 0;
#if HAS_BULK_COPIES
    if (Way == by::nvshmem_bulk) shared_bytes = nvshmemx_ask_smem(NVSHMEMX_SMEM_RECOMMENDED);
#endif
    must(cudaFuncSetAttribute(put_in_step<Way>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
         "shared memory");
    unsigned* counts = nullptr;
    must(cudaMalloc(&counts, 2 * sizeof *counts), "memory of counts");
    auto const go = [&](int n) {
      if (rank_ == 0)
        put_in_step<Way>
            <<<blocks, threads, static_cast<std::size_t>(shared_bytes)>>>(at_, bytes, n, shared_bytes, counts);
    };
    double took = 0;
    for (int const n : {10, iterations}) {
      must(cudaMemset(counts, 0, 2 * sizeof *counts), "counts");
      must(cudaDeviceSynchronize(), "counts");
      took = seconds([&] { go(n); });
    }
    must(cudaFree(counts), "memory of counts");
    return static_cast<double>(bytes) * iterations / took / 1e9;
  }
  template <bool ByWarp>
  double messages_rate(int blocks, std::size_t bytes) {
    auto const all = bytes * messages * static_cast<std::size_t>(blocks);
    auto const iterations = static_cast<int>(std::clamp<std::size_t>((std::size_t{4} << 30) / all, 10, 2000));
    auto const go = [&](int count) {
      if (rank_ == 0) put_messages<ByWarp><<<blocks, message_threads>>>(at_, bytes, count);
    };
    (void)seconds([&] { go(10); });
    auto const took = seconds([&] { go(iterations); });
    return static_cast<double>(all) * iterations / took / (1 << 20);
  }
  // The copy engine's, in pieces of half of the memory.
  double copy_rate() {
    constexpr int iterations = 40;
    auto const go = [&](int count) {
      for (int n = 0; rank_ == 0 && n < count; ++n)
        must(cudaMemcpyAsync(at_.peer + heap_bytes / 2, at_.own, heap_bytes / 2, cudaMemcpyDeviceToDevice), "a copy");
    };
    (void)seconds([&] { go(2); });
    auto const took = seconds([&] { go(iterations); });
    return static_cast<double>(heap_bytes / 2) * iterations / took / (1 << 20);
  }
  [[nodiscard]] static std::string listed(std::vector<double> const& all) {
    std::string made;
    for (auto const one : all) {
      char text[32];
      std::snprintf(text, sizeof text, "%s%.1f", made.empty() ? "[" : ", ", one);
      made += text;
    }
    return made + "]";
  }
  template <by Way>
  double words_rate(int blocks, int threads) {
    constexpr std::size_t words = std::size_t{4} << 20;
    constexpr int iterations = 100;
    // As many words as all threads together put, two each, a whole number of times.
    auto const step = std::size_t{2} * static_cast<std::size_t>(blocks) * static_cast<std::size_t>(threads);
    auto const count = words / step * step;
    auto const go = [&](int n) {
      if (rank_ == 0) put_words<Way><<<blocks, threads>>>(at_, count, n);
    };
    (void)seconds([&] { go(2); });
    auto const took = seconds([&] { go(iterations); });
    return static_cast<double>(count) * iterations / took / 1e6;
  }
  template <by Way, class Group>
  double half_round_trip(int threads, std::size_t bytes) {
    auto const iterations = bytes > 65536 ? 1000 : 10000;
    auto const go = [&](int n) { ping_pong<Way, Group><<<1, threads>>>(at_, bytes, n, rank_ == 0); };
    double took = 0;
    for (int const n : {100, iterations}) {
      must(cudaMemset(at_.signal, 0, sizeof(std::uint64_t)), "a signal");
      must(cudaDeviceSynchronize(), "a signal");
      took = seconds([&] { go(n); });
    }
    return took / iterations / 2 * 1e6;
  }
  template <class Group>
  void ping(char const* by_whom, int threads, std::size_t bytes) {
    std::vector<double> of_peer, ours;
    for (int run = 0; run < runs; ++run) {
      of_peer.push_back(half_round_trip<by::nvshmem, Group>(threads, bytes));
      ours.push_back(half_round_trip<by::direct, Group>(threads, bytes));
    }
    print("put + signal, half a round trip, " + std::string{by_whom} + ", " + std::to_string(bytes) + " B", "us",
          of_peer, ours, {});
  }
  void print(std::string const& name, char const* unit, std::vector<double> of_peer, std::vector<double> ours,
             std::vector<double> of_bulk) const {
    if (rank_ != 0) return;
    auto const text = [&](std::vector<double>& all) {
      std::sort(all.begin(), all.end());
      char line[96];
      std::snprintf(line, sizeof line, "%9.2f (%.2f-%.2f)", all[all.size() / 2], all.front(), all.back());
      return std::string{line};
    };
    auto const a = text(of_peer), b = text(ours);
    std::printf("%-58s nvshmem %s  direct_put %s %s  ratio %.3f", name.c_str(), a.c_str(), b.c_str(), unit,
                ours[ours.size() / 2] / of_peer[of_peer.size() / 2]);
    if (!of_bulk.empty()) std::printf("  nvshmem with shared memory %s", text(of_bulk).c_str());
    std::printf("\n");
    std::fflush(stdout);
  }

  int rank_;
  places at_{};
  cudaEvent_t began_{}, ended_{};
};

enum class wanted { all, sizes };

void run_rank(int rank, int from_first, int to_second, wanted what) {
  must(cudaSetDevice(rank), "choosing a GPU");
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  if (rank == 0) {
    if (nvshmemx_get_uniqueid(&id) != 0 || write(to_second, &id, sizeof id) != sizeof id) std::_Exit(1);
  } else if (read(from_first, &id, sizeof id) != sizeof id) {
    std::_Exit(1);
  }
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  nvshmemx_set_attr_uniqueid_args(rank, 2, &id, &attributes);
  if (nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) != 0) std::_Exit(1);
  if (rank == 0 && what == wanted::all) {
    int major = 0, minor = 0, patch = 0;
    nvshmemx_vendor_get_version_info(&major, &minor, &patch);
    cudaDeviceProp gpu{};
    must(cudaGetDeviceProperties(&gpu, 0), "a GPU's name");
    std::printf("two %s, NVSHMEM %d.%d.%d (this program: %d.%d.%d); medians of %d, least and most\n", gpu.name, major,
                minor, patch, NVSHMEM_VENDOR_MAJOR_VERSION, NVSHMEM_VENDOR_MINOR_VERSION, NVSHMEM_VENDOR_PATCH_VERSION,
                runs);
    std::fflush(stdout);
  }
  {
    measurer test{rank};
    if (what == wanted::sizes) {
      test.measure_sizes();
    } else {
      test.measure_ping_pong();
      test.measure_words();
      test.measure_in_step();
      test.measure_blocks();
    }
  }
  nvshmem_finalize();
}

}  // namespace

int main(int argc, char** argv) {
  auto const what = argc == 2 && std::string{argv[1]} == "sizes" ? wanted::sizes : wanted::all;
  if (argc > 1 && what == wanted::all) {
    std::fprintf(stderr, "usage: nvshmem_puts [sizes]\n");
    return 2;
  }
  setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0);
  setenv("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo", 0);
  setenv("NVSHMEM_DISABLE_NVLS", "1", 1);  // multicast is not wanted here
  setenv("NVSHMEM_SYMMETRIC_SIZE", "1G", 0);
  setenv("NVSHMEM_TMA_POLICY", "ENABLE", 0);
  int ends[2];
  if (pipe(ends) != 0) return 1;
  auto const child = fork();
  if (child < 0) return 1;
  run_rank(child == 0 ? 1 : 0, ends[0], ends[1], what);
  if (child == 0) return 0;
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// RDMA writes that a GPU posts. Prints one number per line.
//   posting alone: no engine reads the queue, and the bench itself says that writes are complete. 512 writes and their
//   commit by one block; then all multiprocessors at a time. with the gpu engine: every write is executed and its
//   completion read. Warps share a queue; then each block has one.
// Needs a GPU. The bytes are checked by rdma_device_test and by packetwarp rdma-bw, not here.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "rdma/engine/gpu_engine.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t posts = 512;
constexpr std::uint32_t message = 64;
constexpr std::uint32_t rounds = 2000;
constexpr patience limit{5'000'000'000};

void require_cuda(cudaError_t result, char const* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string{what} + ": " + cudaGetErrorString(result));
}

struct bench_queue {
  queue_parts parts;
  memory_place local;
  memory_place remote;
};
struct block_result {
  std::uint64_t began_ns, ended_ns, clocks;
  std::uint32_t status, is_short;
};

__device__ std::uint64_t clocks() { return static_cast<std::uint64_t>(clock64()); }

enum class posting : std::uint8_t { by_thread, by_group };

template <posting How>
__device__ void post(queue_pair_ref queue, reservation const& slots, bench_queue const& own) {
  if constexpr (How == posting::by_thread) {
    for (auto i = threadIdx.x; i < slots.count; i += blockDim.x)
      queue.post_write(slots, i, own.local + i * message, own.remote + i * message, message);
  } else {
    queue.post_writes(whole_block{}, slots, [&](std::uint32_t i) {
      return write_request{own.local + i * message, own.remote + i * message, message};
    });
  }
}

// Posting alone: each round's clocks of block 0, and the time of all rounds.
template <posting How>
__global__ __launch_bounds__(posts) void post_alone(bench_queue const* queues, ordering how, std::uint32_t count,
                                                    std::uint64_t* each, block_result* results) {
  auto const own = queues[blockIdx.x];
  queue_pair_ref const queue{own.parts};
  whole_block const block;
  block_result result{};
  result.began_ns = detail::now_ns();
  auto const first = clocks();
  for (std::uint32_t n = 0; n < count; ++n) {
    block.sync();
    auto const began = clocks();
    auto const slots = queue.reserve(block, posts, queue_use::one_group, limit);
    post<How>(queue, slots, own);
    queue.commit(block, slots, how);
    auto const took = clocks() - began;
    if (threadIdx.x == 0) {
      if (each != nullptr && blockIdx.x == 0) each[n] = took;
      detail::store(own.parts.cursors->completed, slots.end());
    }
  }
  result.clocks = clocks() - first;
  result.ended_ns = detail::now_ns();
  if (threadIdx.x == 0) results[blockIdx.x] = result;
}

// With an engine: a queue per block, flushed each round.
__global__ __launch_bounds__(posts) void post_and_flush(bench_queue const* queues, std::uint32_t count,
                                                        block_result* results) {
  auto const own = queues[blockIdx.x];
  queue_pair_ref const queue{own.parts};
  whole_block const block;
  block_result result{};
  result.began_ns = detail::now_ns();
  for (std::uint32_t n = 0; n < count; ++n) {
    auto const slots = queue.reserve(block, posts, queue_use::one_group, limit);
    post<posting::by_group>(queue, slots, own);
    queue.commit(block, slots, release_to_device);
    auto const status = queue.flush(block, slots, limit, acquire_from_device);
    result.status = static_cast<std::uint32_t>(status);
    result.is_short |= slots.count == 0 ? 1 : 0;
    if (status != work_status::done || slots.count == 0) break;
  }
  result.ended_ns = detail::now_ns();
  if (threadIdx.x == 0) results[blockIdx.x] = result;
}

// With an engine: all warps share queue 0, and each posts `batch` writes per commit. The last one is flushed.
__global__ void share_queue(bench_queue const* queues, std::uint32_t batch, std::uint32_t count,
                            block_result* results) {
  auto const own = queues[0];
  queue_pair_ref const queue{own.parts};
  whole_warp const warp;
  auto const place = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * batch * message;
  block_result result{};
  result.began_ns = detail::now_ns();
  reservation last{};
  for (std::uint32_t n = 0; n < count; ++n) {
    auto const slots = queue.reserve(warp, batch, queue_use::many_groups, limit);
    queue.post_writes(warp, slots, [&](std::uint32_t i) {
      auto const at = place + i * message;
      return write_request{own.local + at, own.remote + at, message};
    });
    queue.commit(warp, slots, release_to_device);
    result.is_short |= slots.count == 0 ? 1 : 0;
    if (slots.count == 0) break;
    last = slots;
  }
  result.status = static_cast<std::uint32_t>(queue.flush(warp, last, limit, acquire_from_device));
  result.ended_ns = detail::now_ns();
  if (threadIdx.x % 32 == 0) results[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = result;
}

// Queues, payload and regions of a measurement.
class bed {
 public:
  bed(std::uint32_t queues, std::uint32_t size, memory_kind where, std::size_t payload_per_queue)
      : payload_{0, 2 * queues * payload_per_queue},
        results_{0, std::max(queues, 256U) * sizeof(block_result)},
        given_{0, queues * sizeof(bench_queue)} {
    auto const half = queues * payload_per_queue;
    auto const lkey = regions_.add(payload_.data(), half, access::local_read);
    auto const rkey = regions_.add(payload_.data() + half, half, access::remote_write);
    auto const at = reinterpret_cast<std::uint64_t>(payload_.data());
    std::vector<bench_queue> all;
    for (std::uint32_t i = 0; i < queues; ++i) {
      pairs_.emplace_back(
          queue_pair_settings{.size = size, .number = i + 1, .queue = where, .cursors = memory_kind::device, .gpu = 0});
      parts_.push_back(pairs_.back().parts());
      all.push_back({parts_.back(), {at + i * payload_per_queue, lkey}, {at + half + i * payload_per_queue, rkey}});
    }
    given_.write(0, std::as_bytes(std::span{all}));
  }
  void start_engine() {
    engine_ = std::make_unique<gpu_engine>(0, parts_, regions_.regions(), cuda::thread_scope_device);
  }
  [[nodiscard]] bench_queue const* queues() const { return reinterpret_cast<bench_queue const*>(given_.data()); }
  [[nodiscard]] block_result* results() const { return reinterpret_cast<block_result*>(results_.data()); }
  [[nodiscard]] std::vector<block_result> read(std::uint32_t count) const {
    require_cuda(cudaStreamSynchronize(stream_.get()), "the measured kernel");
    std::vector<block_result> all(count);
    results_.read(0, std::as_writable_bytes(std::span{all}));
    for (auto const& one : all) {
      if (one.status != 0 || one.is_short != 0)
        throw std::runtime_error("a write failed: " + std::string{to_string(static_cast<work_status>(one.status))});
    }
    return all;
  }
  // From the first block's beginning to the last one's end.
  [[nodiscard]] static double seconds(std::vector<block_result> const& all) {
    auto began = all.front().began_ns, ended = all.front().ended_ns;
    for (auto const& one : all) {
      began = std::min(began, one.began_ns);
      ended = std::max(ended, one.ended_ns);
    }
    return static_cast<double>(ended - began) / 1e9;
  }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] engine_counters stop_engine() {
    engine_->stop();
    return engine_->counters();
  }

 private:
  struct destroy_stream {
    void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
  };
  [[nodiscard]] static cudaStream_t make_stream() {
    cudaStream_t made{};
    require_cuda(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "a stream");
    return made;
  }
  device_memory payload_;
  device_memory results_;
  device_memory given_;
  region_table regions_;
  std::vector<queue_pair> pairs_;
  std::vector<queue_parts> parts_;
  std::unique_ptr<CUstream_st, destroy_stream> stream_{make_stream()};
  std::unique_ptr<gpu_engine> engine_;
};

[[nodiscard]] double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// 512 writes and their commit by one block, in us.
template <posting How>
void print_post_time(char const* name, memory_kind where, ordering how) {
  bed one{1, 4096, where, posts * message};
  device_memory const each{0, rounds * sizeof(std::uint64_t)};
  post_alone<How><<<1, posts, 0, one.stream()>>>(one.queues(), how, rounds,
                                                 reinterpret_cast<std::uint64_t*>(each.data()), one.results());
  require_cuda(cudaGetLastError(), name);
  auto const result = one.read(1).front();
  std::vector<std::uint64_t> read(rounds);
  each.read(0, std::as_writable_bytes(std::span{read}));
  auto const ns = static_cast<double>(result.ended_ns - result.began_ns) / static_cast<double>(result.clocks);
  std::vector<double> times;
  for (auto const took : read) times.push_back(static_cast<double>(took) * ns / 1e3);
  std::printf("%-72s %9.2f us\n", name, median(std::move(times)));
}

// A queue per block on every multiprocessor, in millions per second: the best of five.
template <posting How>
void print_post_rate(char const* name, memory_kind where, ordering how, std::uint32_t processors) {
  bed all{processors, 4096, where, posts * message};
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    post_alone<How><<<processors, posts, 0, all.stream()>>>(all.queues(), how, rounds, nullptr, all.results());
    require_cuda(cudaGetLastError(), name);
    best = std::max(best, double{rounds} * posts * processors / bed::seconds(all.read(processors)));
  }
  std::printf("%-72s %9.1f M/s\n", name, best / 1e6);
}

void print_shared_rate(std::uint32_t warps, std::uint32_t batch) {
  bed one{1, 8192, memory_kind::device, std::size_t{warps} * batch * message};
  one.start_engine();
  // A warp per block: on a multiprocessor each.
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    share_queue<<<warps, 32, 0, one.stream()>>>(one.queues(), batch, rounds, one.results());
    require_cuda(cudaGetLastError(), "a shared queue");
    best = std::max(best, double{rounds} * batch * warps / bed::seconds(one.read(warps)));
  }
  (void)one.stop_engine();
  std::printf("one queue, gpu engine: %2u warps, %4u writes per commit %19s %9.1f M/s\n", warps, batch, "", best / 1e6);
}

void print_engine_rate(std::uint32_t queues) {
  bed all{queues, 2048, memory_kind::device, posts * message};
  all.start_engine();
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    post_and_flush<<<queues, posts, 0, all.stream()>>>(all.queues(), rounds, all.results());
    require_cuda(cudaGetLastError(), "all queues");
    best = std::max(best, double{rounds} * posts * queues / bed::seconds(all.read(queues)));
  }
  auto const counters = all.stop_engine();
  if (counters.writes != std::uint64_t{5} * rounds * posts * queues) throw std::runtime_error("writes are missing");
  std::printf("%3u queues, gpu engine, 64 B: 512 writes, commit, flush %19s %9.1f M/s\n", queues, "", best / 1e6);
}

void measure_all() {
  auto const facts = open_gpu(0);
  auto const processors = static_cast<std::uint32_t>(facts.multiprocessors);
  std::printf("%s, %u multiprocessors\n", facts.name.c_str(), processors);
  constexpr auto device = memory_kind::device, pinned = memory_kind::pinned;
  constexpr ordering none{cuda::memory_order_relaxed, cuda::thread_scope_device};
  print_post_time<posting::by_group>("512 writes + commit, one block, queue in GPU memory, no fence", device, none);
  print_post_time<posting::by_group>("the same, fences of GPU scope", device, release_to_device);
  print_post_time<posting::by_group>("the same, fences of system scope", device, release_to_system);
  print_post_time<posting::by_group>("queue in host memory, fences of GPU scope", pinned, release_to_device);
  print_post_time<posting::by_group>("queue in host memory, fences of system scope", pinned, release_to_system);
  print_post_time<posting::by_thread>("a write per thread: GPU memory, GPU scope", device, release_to_device);
  print_post_time<posting::by_thread>("a write per thread: host memory, system scope", pinned, release_to_system);
  print_post_rate<posting::by_group>("all multiprocessors into GPU memory, GPU scope", device, release_to_device,
                                     processors);
  print_post_rate<posting::by_group>("all multiprocessors into host memory, system scope", pinned, release_to_system,
                                     processors);
  print_post_rate<posting::by_thread>("the same, a write per thread", pinned, release_to_system, processors);
  for (std::uint32_t warps : {1U, 2U, 4U, 8U, 16U})
    for (std::uint32_t batch : {32U, 128U, 256U}) print_shared_rate(warps, batch);
  for (std::uint32_t queues : {1U, 16U, 64U}) print_engine_rate(queues);
}

}  // namespace
}  // namespace packetwarp::rdma

int main() {
  try {
    packetwarp::rdma::measure_all();
    return EXIT_SUCCESS;
  } catch (std::exception const& wrong) {
    std::fprintf(stderr, "rdma_device_bench: %s\n", wrong.what());
    return EXIT_FAILURE;
  }
}

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// 512 RDMA writes and their commit by one block: by NVIDIA's open device functions (DOCA GPUNetIO's headers, BSD-3, as
// NCCL's wheel has them) and by rdma/queue_pair_ref.h, on the same queue, which no engine or an engine of packetwarp's
// reads. The loop is that of NVIDIA's perftest example: each thread posts a write, thread 0 commits and waits. Prints
// medians of all rounds of five runs in turn. With an engine every byte of the target is compared at the end. Before, a
// queue that no engine reads is written by each of them, and every byte of its WQEs and its doorbell record is
// compared, except a reserved word, which NVIDIA's functions leave as it happens to be. It needs a GPU; build.sh
// fetches the headers. Nothing of them is part of packetwarp.
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

#include "doca_gpunetio_device.h"
#include "gpu/gpu.h"
#include "rdma/bandwidth/pattern.h"
#include "rdma/clocks.cuh"
#include "rdma/engine/gpu_engine.h"
#include "rdma/engine/host_engine.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t posts = 512;
constexpr std::uint32_t entries = 4096;
constexpr std::uint32_t message = 64;
constexpr std::uint32_t rounds = 1000;
constexpr int runs = 5;
constexpr patience limit{5'000'000'000};

void must(cudaError_t said, char const* what) {
  if (said != cudaSuccess) throw std::runtime_error(std::string{what} + ": " + cudaGetErrorString(said));
}

enum class reader : std::uint8_t { none, gpu, host };

struct round_times {
  std::uint32_t commit, flush;  // clocks: to post and commit, and then to flush
};
struct outcome {
  std::uint64_t began_ns, ended_ns, clocks;
  std::uint32_t status, unused;
};

// Our API.
template <reader Reader>
class our_poster {
 public:
  __device__ our_poster(queue_parts const& parts, doca_gpu_dev_verbs_qp*) : queue_{parts} {}
  __device__ void post(memory_place local, memory_place remote) {
    whole_block const block;
    slots_ = queue_.reserve(block, posts, queue_use::one_group, limit);
    queue_.post_writes(block, slots_, [&](std::uint32_t i) {
      return write_request{local + i * message, remote + i * message, message};
    });
    queue_.commit(block, slots_, Reader == reader::host ? release_to_system : release_to_device);
  }
  __device__ std::uint32_t flush() {
    whole_block const block;
    if constexpr (Reader == reader::none) {
      if (threadIdx.x == 0) detail::store(queue_.parts().cursors->completed, slots_.end());
      block.sync();
      return 0;
    }
    auto const how = Reader == reader::host ? acquire_from_system : acquire_from_device;
    return static_cast<std::uint32_t>(queue_.flush(block, slots_, limit, how)) + (slots_.count == posts ? 0 : 1000);
  }

 private:
  queue_pair_ref queue_;
  reservation slots_{};
};

// NVIDIA's functions, in the pattern of the example: positions are not reserved, since one block uses the queue.
template <reader Reader, doca_gpu_dev_verbs_resource_sharing_mode Sharing>
class nvidia_poster {
 public:
  __device__ nvidia_poster(queue_parts const& parts, doca_gpu_dev_verbs_qp* qp) : parts_{parts}, qp_{qp} {}
  __device__ void post(memory_place local, memory_place remote) {
    auto const position = next_ + threadIdx.x;
    auto const flags = threadIdx.x + 1 == posts ? DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE
                                                : static_cast<doca_gpu_dev_verbs_wqe_ctrl_flags>(0);
    auto const at = threadIdx.x * message;
    doca_gpu_dev_verbs_wqe_prepare_write(qp_, doca_gpu_dev_verbs_get_wqe_ptr(qp_, static_cast<std::uint16_t>(position)),
                                         static_cast<std::uint16_t>(position), DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE,
                                         flags, 0, remote.address + at, key_of(remote), local.address + at,
                                         key_of(local), message);
    __syncthreads();
    next_ += posts;
    constexpr auto scope =
        Reader == reader::host ? DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS : DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU;
    if (threadIdx.x == 0)
      doca_gpu_dev_verbs_submit<Sharing, scope, DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_DB>(qp_, next_);
    __syncthreads();
  }
  __device__ std::uint32_t flush() {
    __shared__ int said;
    if (threadIdx.x == 0) {
      said = 0;
      if constexpr (Reader != reader::none) {
        said =
            doca_gpu_dev_verbs_poll_cq_at<Sharing, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_64B>(qp_, round_);
        // A NIC's queue would ignore that CQEs are overwritten; this one has a consumer's record.
        detail::store(*parts_.completion_record, big(static_cast<std::uint32_t>(round_ + 1) & consumer_mask));
      }
    }
    ++round_;
    __syncthreads();
    return static_cast<std::uint32_t>(-said);
  }

 private:
  [[nodiscard]] __device__ static std::uint32_t key_of(memory_place place) {
    return DOCA_GPUNETIO_VERBS_MKEY_SWAPPED == 1 ? big(place.key) : place.key;
  }
  queue_parts parts_;
  doca_gpu_dev_verbs_qp* qp_;
  std::uint64_t next_{};
  std::uint64_t round_{};
};

template <class Poster>
__global__ __launch_bounds__(posts) void post_rounds(queue_parts parts, doca_gpu_dev_verbs_qp* qp, memory_place local,
                                                     memory_place remote, round_times* times, outcome* result) {
  Poster poster{parts, qp};
  outcome made{.began_ns = detail::now_ns()};
  auto const first = clocks_now();
  for (std::uint32_t n = 0; n < rounds; ++n) {
    __syncthreads();
    auto const began = clocks_now();
    poster.post(local, remote);
    auto const committed = clocks_now();
    auto const status = poster.flush();
    auto const ended = clocks_now();
    if (threadIdx.x == 0)
      times[n] = {static_cast<std::uint32_t>(committed - began), static_cast<std::uint32_t>(ended - committed)};
    if (status != 0) {
      made.status = status;
      break;
    }
  }
  made.clocks = clocks_now() - first;
  made.ended_ns = detail::now_ns();
  if (threadIdx.x == 0) *result = made;
}

[[nodiscard]] doca_gpu_dev_verbs_qp describe(queue_parts const& parts) {
  doca_gpu_dev_verbs_qp made{};
  made.sq_num = parts.number;
  made.sq_num_shift8 = parts.number << 8;
  made.sq_num_shift8_be = big(parts.number << 8);
  made.sq_num_shift8_be_3ds = big(parts.number << 8 | 3);
  made.sq_wqe_num = static_cast<std::uint16_t>(parts.size);
  made.sq_wqe_mask = static_cast<std::uint16_t>(parts.size - 1);
  made.sq_wqe_daddr = reinterpret_cast<std::uint8_t*>(parts.entries);
  made.sq_dbrec = parts.send_record;
  made.sq_db = parts.doorbell;
  made.nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_DB;
  made.cq_sq.cqe_daddr = reinterpret_cast<std::uint8_t*>(parts.completions);
  made.cq_sq.cqe_num = parts.size;
  made.cq_sq.cqe_mask = parts.size - 1;
  made.cq_sq.cqe_size = sizeof(completion_entry);
  made.cq_sq.cq_type = DOCA_GPUNETIO_VERBS_CQ_64B;
  made.cq_sq.dbrec = parts.completion_record;
  return made;
}

// The times of a run, in us.
struct run_times {
  std::vector<double> commit, flush;
};

template <class Poster>
[[nodiscard]] run_times run_once(reader by_whom, memory_kind where) {
  auto const payload = by_whom == reader::host ? memory_kind::pinned : memory_kind::device;
  constexpr std::size_t bytes = posts * message;
  placed_memory const source{payload, 0, bytes}, target{payload, 0, bytes};
  auto const sent = make_pattern(bytes, 1);
  source.write(0, sent);
  region_table regions;
  memory_place const local{reinterpret_cast<std::uint64_t>(source.data()),
                           regions.add(source.data(), bytes, access::local_read)};
  memory_place const remote{reinterpret_cast<std::uint64_t>(target.data()),
                            regions.add(target.data(), bytes, access::remote_write)};
  queue_pair const pair{{.size = entries, .number = 7, .queue = where, .cursors = memory_kind::device, .gpu = 0}};
  // NVIDIA's functions look only at the owner's bit of a CQE: it is that of the lap before the first one.
  std::vector<completion_entry> unread(entries);
  for (auto& entry : unread) entry.tail = std::uint64_t{completion_invalid} << 60 | std::uint64_t{1} << 56;
  must(cudaMemcpy(pair.parts().completions, unread.data(), entries * sizeof(completion_entry), cudaMemcpyDefault),
       "preparing the completion queue");
  device_memory const qp{0, sizeof(doca_gpu_dev_verbs_qp)}, times{0, rounds * sizeof(round_times)},
      result{0, sizeof(outcome)};
  auto const described = describe(pair.parts());
  qp.write(0, std::as_bytes(std::span{&described, 1}));
  cudaStream_t stream{};
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  std::vector<queue_parts> const parts{pair.parts()};
  std::unique_ptr<gpu_engine> on_gpu;
  std::unique_ptr<host_engine> on_host;
  if (by_whom == reader::gpu)
    on_gpu = std::make_unique<gpu_engine>(0, parts, regions.regions(), cuda::thread_scope_device);
  if (by_whom == reader::host) on_host = std::make_unique<host_engine>(parts, regions.ref());
  post_rounds<Poster><<<1, posts, 0, stream>>>(pair.parts(), reinterpret_cast<doca_gpu_dev_verbs_qp*>(qp.data()), local,
                                               remote, reinterpret_cast<round_times*>(times.data()),
                                               reinterpret_cast<outcome*>(result.data()));
  must(cudaGetLastError(), "posting");
  must(cudaStreamSynchronize(stream), "posting");
  must(cudaStreamDestroy(stream), "a stream");
  if (on_gpu) on_gpu->stop();
  if (on_host) on_host->stop();
  outcome said{};
  result.read(0, std::as_writable_bytes(std::span{&said, 1}));
  if (said.status != 0) throw std::runtime_error("a flush failed with " + std::to_string(said.status));
  if (by_whom != reader::none) {
    std::vector<std::byte> found(bytes);
    target.read(0, found);
    if (first_difference(found, sent) != bytes) throw std::runtime_error("the target has wrong bytes");
    auto const counters = on_gpu ? on_gpu->counters() : on_host->counters();
    if (counters.writes != std::uint64_t{rounds} * posts) throw std::runtime_error("writes are missing");
  }
  std::vector<round_times> all(rounds);
  times.read(0, std::as_writable_bytes(std::span{all}));
  auto const us = static_cast<double>(said.ended_ns - said.began_ns) / static_cast<double>(said.clocks) / 1e3;
  run_times made;
  for (auto const& one : all) {
    made.commit.push_back(us * one.commit);
    made.flush.push_back(us * one.flush);
  }
  return made;
}

[[nodiscard]] double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Medians of the runs' medians, with the least and the most.
struct summary {
  std::vector<double> commit, flush;
  void add(run_times const& run) {
    commit.push_back(median(run.commit));
    flush.push_back(median(run.flush));
  }
  [[nodiscard]] std::string text() const {
    auto sorted = commit;
    std::sort(sorted.begin(), sorted.end());
    char line[96];
    std::snprintf(line, sizeof line, "%.2f (%.2f-%.2f) + %.2f", median(commit), sorted.front(), sorted.back(),
                  median(flush));
    return line;
  }
};

// The memory of a queue that no engine reads, after all rounds of 512 writes: its WQEs, of which later ones have
// taken the place of earlier ones, then the doorbell record. Keys, addresses and the queue's number are always the same
// ones. Doorbells differ: packetwarp's is the begin of the last WQE, as rdma-core's is, and NVIDIA's has the position
// after it and no count of segments.
template <class Poster>
[[nodiscard]] std::vector<std::byte> bytes_after(queue_pair_settings const& settings) {
  queue_pair const pair{settings};
  auto const& parts = pair.parts();
  device_memory const qp{0, sizeof(doca_gpu_dev_verbs_qp)}, times{0, rounds * sizeof(round_times)},
      result{0, sizeof(outcome)};
  auto const described = describe(parts);
  qp.write(0, std::as_bytes(std::span{&described, 1}));
  post_rounds<Poster><<<1, posts>>>(parts, reinterpret_cast<doca_gpu_dev_verbs_qp*>(qp.data()),
                                    {0x0123'4567'89ab'cdef, 0x1122'3344}, {0xfedc'ba98'7654'3210, 0x5566'7788},
                                    reinterpret_cast<round_times*>(times.data()),
                                    reinterpret_cast<outcome*>(result.data()));
  must(cudaGetLastError(), "posting");
  must(cudaDeviceSynchronize(), "posting");
  std::vector<std::byte> made(entries * sizeof(work_queue_entry) + sizeof *parts.send_record);
  auto* to = made.data();
  auto const take = [&](void const* from, std::size_t bytes) {
    must(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "reading the queue");
    to += bytes;
  };
  take(parts.entries, entries * sizeof(work_queue_entry));
  // The last word of the remote address's segment.
  constexpr std::size_t reserved_at = 28, reserved = 4;
  for (std::size_t n = 0; n < entries; ++n)
    std::fill_n(made.begin() + static_cast<std::ptrdiff_t>(n * sizeof(work_queue_entry) + reserved_at), reserved,
                std::byte{});
  take(parts.send_record, sizeof *parts.send_record);
  return made;
}

// Throws runtime_error at the first byte that differs.
void require_same_bytes(std::vector<std::byte> const& ours, std::vector<std::byte> const& theirs, char const* mode) {
  auto const at = first_difference(ours, theirs);
  if (at == ours.size() && ours.size() == theirs.size()) return;
  char line[160];
  std::snprintf(line, sizeof line, "%s: byte %zu of WQE %zu is 0x%02x, and NVIDIA's is 0x%02x", mode,
                at % sizeof(work_queue_entry), at / sizeof(work_queue_entry), std::to_integer<unsigned>(ours[at]),
                std::to_integer<unsigned>(theirs[at]));
  throw std::runtime_error(line);
}

void compare_bytes() {
  constexpr auto gpu = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU;
  constexpr auto exclusive = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE;
  queue_pair_settings const settings{
      .size = entries, .number = 0xabcdef, .queue = memory_kind::device, .cursors = memory_kind::device, .gpu = 0};
  auto const ours = bytes_after<our_poster<reader::none>>(settings);
  require_same_bytes(ours, bytes_after<nvidia_poster<reader::none, gpu>>(settings), "shared by a GPU's threads");
  require_same_bytes(ours, bytes_after<nvidia_poster<reader::none, exclusive>>(settings), "for one thread");
  std::printf(
      "the last %u of %u WQEs and the doorbell record: all %zu bytes, without a reserved word of each WQE, are "
      "NVIDIA's "
      "in both of its modes\n",
      entries, rounds * posts, ours.size() - entries * sizeof(std::uint32_t));
}

template <reader Reader>
void measure(char const* name, memory_kind where) {
  constexpr auto gpu = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU;
  constexpr auto exclusive = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE;
  summary ours, nvidia, nvidia_alone;
  for (int run = 0; run < runs; ++run) {
    ours.add(run_once<our_poster<Reader>>(Reader, where));
    nvidia.add(run_once<nvidia_poster<Reader, gpu>>(Reader, where));
    nvidia_alone.add(run_once<nvidia_poster<Reader, exclusive>>(Reader, where));
  }
  std::printf("%-46s ours %s  nvidia %s  nvidia, exclusive %s us  ratio of commits %.3f and %.3f\n", name,
              ours.text().c_str(), nvidia.text().c_str(), nvidia_alone.text().c_str(),
              median(ours.commit) / median(nvidia.commit), median(ours.commit) / median(nvidia_alone.commit));
  std::fflush(stdout);
}

void measure_all() {
  compare_bytes();
  std::printf("%s: 512 writes and commit, then flush, by one block, in us; medians of %u rounds of %d runs in turn\n",
              open_gpu(0).name.c_str(), rounds, runs);
  measure<reader::none>("queue in GPU memory, no engine", memory_kind::device);
  measure<reader::gpu>("queue in GPU memory, engine gpu", memory_kind::device);
  measure<reader::host>("queue in pinned host memory, engine host", memory_kind::pinned);
}

}  // namespace
}  // namespace packetwarp::rdma

int main() {
  try {
    packetwarp::rdma::measure_all();
    return EXIT_SUCCESS;
  } catch (std::exception const& wrong) {
    std::fprintf(stderr, "gpunetio_posts: %s\n", wrong.what());
    return EXIT_FAILURE;
  }
}

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/latency/pair_latency.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "gpu/await_stream.h"
#include "gpu/cuda_check.h"
#include "rdma/latency/pair_end.h"
#include "rdma/latency/signal_latency.h"
#include "rdma/queue_pair.h"
#include "rdma/target_gpu.h"

namespace packetwarp::rdma {
namespace {

[[nodiscard]] std::uint64_t address_of(device_memory const& memory) {
  return reinterpret_cast<std::uint64_t>(memory.data());
}

void must_be_done(ping_times const& times, int gpu) {
  if (times.status == work_status::done) return;
  throw failure(times.status == work_status::waited_too_long
                    ? fmt::format("rdma-lat: GPU {} waited too long for a signal or a completion", gpu)
                    : fmt::format("rdma-lat: a write of GPU {} failed: {}", gpu, to_string(times.status)));
}

}  // namespace

struct pair_latency::state {
  explicit state(pair_latency_settings const& given)
      : settings{given},
        there{open_target_gpu(given.gpu, given.target_gpu)},
        back{open_target_gpu(given.target_gpu, given.gpu)},
        first{given.gpu, given.largest},
        second{given.target_gpu, given.largest} {
    if (given.way == put_way::store) return;
    queue_of_first.emplace(first, second);
    queue_of_second.emplace(second, first);
  }

  state(state const&) = delete;
  state& operator=(state const&) = delete;
  // Both engines end before memory is freed, which waits for all kernels.
  ~state() {
    for (auto* queue : {&queue_of_first, &queue_of_second}) {
      try {
        if (*queue) (*queue)->engine->stop();
      } catch (failure const&) {  // the engine leaves its memory to the kernel
      }
    }
  }

  void start(end_memory const& own, end_memory const& peer, std::optional<pair_queue> const& queue, ping_side side,
             std::uint32_t bytes, std::uint32_t iterations) const {
    signal_loop loop{.queue = {.local = {address_of(own.source)}, .remote = {address_of(peer.target)}},
                     .told_at = {address_of(peer.signal)},
                     .told = reinterpret_cast<std::uint64_t const*>(own.signal.data()),
                     .bytes = bytes,
                     .iterations = iterations,
                     .side = side,
                     .way = settings.way,
                     .limit = {settings.limit_ns}};
    if (queue) {
      loop.queue.parts = queue->pair.parts();
      loop.queue.local.key = queue->lkey;
      loop.queue.remote.key = queue->rkey;
      loop.told_at.key = queue->signal_rkey;
    }
    require_cuda(cudaSetDevice(own.gpu), "choosing a GPU");
    require_cuda(launch_signal_latency(loop, reinterpret_cast<std::uint64_t*>(own.clocks.data()),
                                       reinterpret_cast<ping_outcome*>(own.outcome.data()), own.stream),
                 "starting an end of the test");
  }

  pair_latency_settings settings;
  peer_access there;
  peer_access back;
  end_memory first;
  end_memory second;
  std::optional<pair_queue> queue_of_first;
  std::optional<pair_queue> queue_of_second;
  std::uint64_t runs{};
  std::uint64_t checked{};
};

pair_latency::pair_latency(pair_latency_settings const& settings) : state_{std::make_unique<state>(settings)} {}
pair_latency::~pair_latency() = default;
std::uint64_t pair_latency::checked_bytes() const { return state_->checked; }

ping_times pair_latency::run(std::uint32_t bytes, std::uint32_t iterations) {
  auto const& first = state_->first;
  auto const& second = state_->second;
  auto const seed = 2 * ++state_->runs;
  first.prepare(bytes, seed);
  second.prepare(bytes, seed + 1);
  state_->start(second, first, state_->queue_of_second, ping_side::answers, bytes, iterations);
  state_->start(first, second, state_->queue_of_first, ping_side::writes_first, bytes, iterations);
  for (auto const* end : {&first, &second}) require_cuda(await_stream(end->stream), "posting RDMA writes");
  auto times = first.read();
  must_be_done(times, first.gpu);
  must_be_done(second.read(), second.gpu);
  first.check(bytes, seed + 1);
  second.check(bytes, seed);
  state_->checked += 2 * std::uint64_t{bytes};
  return times;
}

}  // namespace packetwarp::rdma

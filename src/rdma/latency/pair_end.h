// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "gpu/cuda_check.h"
#include "gpu/gpu.h"
#include "rdma/bandwidth/pattern.h"
#include "rdma/engine/gpu_engine.h"
#include "rdma/latency/gpu_pinger.h"
#include "rdma/latency/ping.h"
#include "rdma/latency/write_latency.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma {

// The memory of an end on one GPU: the bytes that it sends, the target of the peer, its signal, and the results of its
// kernel.
struct end_memory {
  static constexpr std::size_t guard = 64;  // bytes after a target, which no write may touch
  static constexpr std::size_t place_of_signal = 256;

  end_memory(int on, std::uint32_t largest)
      : gpu{on},
        source{on, largest},
        target{on, largest + guard},
        signal{on, place_of_signal},
        clocks{on, std::size_t{gpu_pinger::most_iterations} * sizeof(std::uint64_t)},
        outcome{on, sizeof(ping_outcome)} {
    require_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  }
  end_memory(end_memory const&) = delete;
  end_memory& operator=(end_memory const&) = delete;
  ~end_memory() { (void)cudaStreamDestroy(stream); }

  void prepare(std::uint32_t bytes, std::uint64_t seed) const {
    source.write(0, make_pattern(bytes, seed));
    target.write(0, std::vector<std::byte>(bytes + guard, std::byte{0xee}));
    signal.write(0, std::array<std::byte, sizeof(std::uint64_t)>{});
  }
  void check(std::uint32_t bytes, std::uint64_t seed) const {
    auto expected = make_pattern(bytes, seed);
    expected.resize(bytes + guard, std::byte{0xee});
    std::vector<std::byte> found(expected.size());
    target.read(0, found);
    if (auto const at = first_difference(found, expected); at < expected.size())
      throw failure(
          fmt::format("rdma-lat: byte {} of the target in GPU {} is {:#04x} and should be {:#04x} after "
                      "writes of {} bytes",
                      at, gpu, std::to_integer<unsigned>(found[at]), std::to_integer<unsigned>(expected[at]), bytes));
  }
  [[nodiscard]] ping_times read() const {
    ping_outcome said{};
    outcome.read(0, std::as_writable_bytes(std::span{&said, 1}));
    std::vector<std::uint64_t> all(said.times);
    if (!all.empty()) clocks.read(0, std::as_writable_bytes(std::span{all}));
    auto const ns = static_cast<double>(said.ended_ns - said.began_ns) / static_cast<double>(said.clocks);
    ping_times made{.status = static_cast<work_status>(said.status)};
    made.between.reserve(all.size());
    for (auto const one : all) made.between.push_back(ns * static_cast<double>(one));
    return made;
  }

  int gpu;
  device_memory source;
  device_memory target;
  device_memory signal;
  device_memory clocks;
  device_memory outcome;
  cudaStream_t stream{};
};

// The queue of an end, and the engine that reads it.
struct pair_queue {
  pair_queue(end_memory const& own, end_memory const& peer)
      : pair{{.size = 16, .number = 1, .queue = memory_kind::device, .cursors = memory_kind::device, .gpu = own.gpu}} {
    lkey = regions.add(own.source.data(), own.source.size(), access::local_read);
    rkey = regions.add(peer.target.data(), own.source.size(), access::remote_write);
    signal_rkey = regions.add(peer.signal.data(), sizeof(std::uint64_t), access::remote_write);
    std::array const parts{pair.parts()};
    engine.emplace(own.gpu, parts, regions.regions(),
                   engine_scopes{cuda::thread_scope_device, cuda::thread_scope_system});
  }

  queue_pair pair;
  region_table regions;
  std::uint32_t lkey{}, rkey{}, signal_rkey{};
  std::optional<gpu_engine> engine;
};

}  // namespace packetwarp::rdma

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "inspect/stream/stream_table.h"

namespace packetwarp {

// The bounds of streams: of connections, and of the bytes that all of them take.
struct stream_sizes {
  std::size_t streams{16'384};  // 0: none, each segment is judged alone
  std::size_t bytes{std::size_t{256} << 20};
};

// The streams of the flows of one table on the host. A flow's packets in both directions may come by several pipelines:
// the flow belongs to a shard, which one thread holds at a time. Shards divide the bounds evenly.
class stream_store {
 public:
  // Held for the time of one packet's judgement at the most.
  class shard_lock {
   public:
    void lock() noexcept;
    void unlock() noexcept { is_held_.clear(std::memory_order_release); }

   private:
    std::atomic_flag is_held_{};
  };
  struct alignas(64) shard {
    explicit shard(stream_sizes sizes) : streams{sizes.streams, sizes.bytes} {}
    shard_lock lock{};
    inspect::stream_table streams;
  };
  struct use {
    std::size_t streams{};
    std::size_t bytes{};
  };

  // flow_places: of the table of flows. sizes: of streams, not 0.
  stream_store(std::uint32_t flow_places, stream_sizes sizes);

  // The shard of a flow's place, and its seed, which the shard's lock guards.
  [[nodiscard]] shard& shard_of(std::uint32_t flow_place);
  [[nodiscard]] inspect::stream_seed& seed_of(std::uint32_t flow_place) { return seeds_[flow_place]; }

  // The streams of all shards now. Waits for each shard's lock.
  [[nodiscard]] use in_use() const;

 private:
  std::vector<std::unique_ptr<shard>> shards_;
  std::vector<inspect::stream_seed> seeds_;
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/stream_store.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "function/inspection/shared_word.h"

namespace packetwarp {
namespace {

// Few enough that each has room for some connections, and enough that lcores rarely meet.
constexpr std::size_t most_shards = 64;
constexpr std::size_t least_streams_of_shard = 64;
constexpr std::size_t least_bytes_of_shard = std::size_t{1} << 20;

[[nodiscard]] std::size_t shards_for(stream_sizes sizes) {
  auto const wanted = std::min(sizes.streams / least_streams_of_shard, sizes.bytes / least_bytes_of_shard);
  return std::bit_floor(std::clamp<std::size_t>(wanted, 1, most_shards));
}

}  // namespace

void stream_store::shard_lock::lock() noexcept {
  constexpr unsigned turns_before_yield = 1000;
  for (unsigned turn = 0; is_held_.test_and_set(std::memory_order_acquire); ++turn) {
    // The holder may have lost its core.
    if (turn >= turns_before_yield) std::this_thread::yield();
  }
}

stream_store::stream_store(std::uint32_t flow_places, stream_sizes sizes) : seeds_(flow_places) {
  auto const shards = shards_for(sizes);
  for (std::size_t n = 0; n < shards; ++n) {
    shards_.push_back(
        std::make_unique<shard>(stream_sizes{.streams = sizes.streams / shards, .bytes = sizes.bytes / shards}));
  }
}

stream_store::shard& stream_store::shard_of(std::uint32_t flow_place) {
  return *shards_[flow_place / inspection_parts::line_words & (shards_.size() - 1)];
}

stream_store::use stream_store::in_use() const {
  use all;
  for (auto const& one : shards_) {
    std::lock_guard const held{one->lock};
    all.streams += one->streams.size();
    all.bytes += one->streams.bytes();
  }
  return all;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "rdma/engine/host_engine.h"
#include "rdma/queue_pair.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma::test {

// A queue, a source and a target of registered memory, and the engine's side of the queue, which a test serves by hand.
class queue_fixture : public testing::Test {
 protected:
  static constexpr std::uint32_t entries = 16;
  static constexpr std::uint32_t number = 0xabcdef;

  queue_fixture() : source(4096), target(4096) {
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + 1);
    local = {reinterpret_cast<std::uint64_t>(source.data()),
             regions.add(source.data(), source.size(), access::local_read)};
    remote = {reinterpret_cast<std::uint64_t>(target.data()),
              regions.add(target.data(), target.size(), access::remote_write)};
  }

  // Posts `count` writes of `bytes` each, side by side, and commits them.
  reservation write(std::uint32_t count, std::uint32_t bytes) {
    auto const slots = queue.reserve(single_thread{}, count);
    for (std::uint32_t i = 0; i < slots.count; ++i)
      queue.post_write(slots, i, local + i * bytes, remote + i * bytes, bytes);
    queue.commit(single_thread{}, slots);
    return slots;
  }
  std::uint32_t serve() { return engine.serve(regions.ref(), 1'000'000); }
  // The completion is there already, or does not come.
  work_status flush(reservation const& slots) { return queue.flush(single_thread{}, slots, patience{0}); }

  queue_pair pair{{.size = entries, .number = number}};
  queue_pair_ref queue{pair.ref()};
  served_queue engine{pair.parts()};
  region_table regions;
  std::vector<std::byte> source;
  std::vector<std::byte> target;
  memory_place local;
  memory_place remote;
};

}  // namespace packetwarp::rdma::test

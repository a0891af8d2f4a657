// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/hash_key.h"
#include "feature/flow_record.h"
#include "feature/host_record.h"
#include "feature/kept_adds.h"
#include "feature/state_table.h"

namespace packetwarp::feature {

// The state of packets, as the code on the data path sees it.
struct state_ref {
  table_ref<flow_record> flows;
  table_ref<host_record> hosts;
  hash_key key;
  // How spread the packets of this thread have been over records lately (feature/spread.h); null on a GPU.
  std::uint64_t* spread;
  // Null: a packet is added to its hosts at once. Otherwise the thread calls add_all() after each group of packets.
  kept_adds* kept;
};
static_assert(std::is_trivially_copyable_v<state_ref>);

// Records of the tables; a table has the next power of two, 8 at least.
struct state_sizes {
  std::uint32_t flows{131'072};
  std::uint32_t hosts{32'768};
};

// The places of both tables in one piece of memory.
class state_layout {
 public:
  explicit state_layout(state_sizes sizes)
      : flows_{place<flow_record>(sizes.flows)}, hosts_{place<host_record>(sizes.hosts)} {}

  // The size of the piece, which is aligned to `alignment` and holds zeroes at first.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  static constexpr std::size_t alignment = 64;

  // A view of the piece at `memory`, of the CPU or the GPU: this reads and writes nothing there. spread: state_ref's.
  [[nodiscard]] state_ref ref(std::byte* memory, hash_key const& key, std::uint64_t* spread) const {
    return {.flows = table<flow_record>(memory, flows_),
            .hosts = table<host_record>(memory, hosts_),
            .key = key,
            .spread = spread,
            .kept = nullptr};
  }

 private:
  struct table_place {
    std::uint64_t buckets{};
    std::uint64_t counts{};  // offsets
    std::uint64_t keys{};
    std::uint64_t locks{};
    std::uint64_t records{};
  };

  [[nodiscard]] std::uint64_t take(std::uint64_t bytes) {
    auto const offset = bytes_;
    bytes_ += (bytes + alignment - 1) / alignment * alignment;
    return offset;
  }
  template <class Record>
  [[nodiscard]] table_place place(std::uint32_t records) {
    constexpr auto in_bucket = table_ref<Record>::bucket_places;
    auto const count = std::bit_ceil(std::uint64_t{records} < 2 * in_bucket ? 2 * in_bucket : std::uint64_t{records});
    table_place made{.buckets = count / in_bucket};
    made.counts = take(sizeof(table_counts));
    made.keys = take(count * sizeof(std::uint64_t));
    made.locks = take(made.buckets * sizeof(std::uint32_t));
    made.records = take(count * sizeof(Record));
    return made;
  }
  template <class Record>
  [[nodiscard]] static table_ref<Record> table(std::byte* memory, table_place const& at) {
    return {.keys = reinterpret_cast<std::uint64_t*>(memory + at.keys),
            .records = reinterpret_cast<Record*>(memory + at.records),
            .locks = reinterpret_cast<std::uint32_t*>(memory + at.locks),
            .counts = reinterpret_cast<table_counts*>(memory + at.counts),
            .bucket_mask = at.buckets - 1};
  }

  std::uint64_t bytes_{};
  table_place flows_;
  table_place hosts_;
};

// Both tables in memory of their own, for one thread of the CPU.
class feature_state {
 public:
  feature_state(state_sizes sizes, hash_key const& key)
      : layout_{sizes},
        memory_(layout_.bytes() / sizeof(line)),
        ref_{layout_.ref(reinterpret_cast<std::byte*>(memory_.data()), key, &spread_)} {}
  feature_state(feature_state const&) = delete;
  feature_state& operator=(feature_state const&) = delete;

  [[nodiscard]] state_ref const& ref() const { return ref_; }

 private:
  struct alignas(state_layout::alignment) line {
    std::byte bytes[state_layout::alignment];
  };
  state_layout layout_;
  std::vector<line> memory_;
  std::uint64_t spread_{};
  state_ref ref_;
};

}  // namespace packetwarp::feature

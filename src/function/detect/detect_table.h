// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/hash_key.h"
#include "feature/feature_state.h"
#include "function/detect/anomaly_journal.h"
#include "function/detect/detect_layout.h"
#include "memory/table_memory.h"
#include "model/integer_network.h"

namespace packetwarp {

// Models and the fate of anomalous packets, as a detect_table takes them.
struct detect_input {
  std::vector<detect_model> models;  // 1 to most_detect_models, in the host's memory
  detect_action action{};
  std::uint32_t dscp{};
  std::uint32_t most_records{};  // as in detect_set
  std::uint32_t most_punts{};
  std::uint32_t most_copies{};
  detect_large large{};  // its network in the host's memory; a count of 0: none
};

// The numbers of a state table (feature/state_table.h).
struct detect_state_counts {
  feature::table_counts flows{};
  feature::table_counts hosts{};
};

// Owns models, the state of flows and hosts, and counts, in the memory of the executors that use them. All of its
// pipelines share the state: the directions of a flow come in by several ports, and a host's packets by several queues.
// Models are replaced as a whole while packets go through: each packet is judged by the old ones or by the new ones,
// and state stays. For a single thread.
class detect_table {
 public:
  // Throws failure if the memory is not available.
  detect_table(detect_input const& models, feature::state_sizes sizes, hash_key const& key, std::size_t pipelines,
               table_place place);

  // Writes other models beside those in force. Only once no packet is in flight that may have met the models before the
  // last publish(). A GPU has room for models of twice the size that it began with, 1 MiB at least: throws failure for
  // more, and nothing is changed.
  void prepare(detect_input const& models);
  // Puts the prepared models in force; only once the packets that were in flight at prepare() have left.
  void publish();

  // For the n-th pipeline of this place.
  [[nodiscard]] detect_ref ref(std::size_t pipeline) const;

  // The sum of a counter (detect_layout.h) over all pipelines. For a lost GPU, the count as last read.
  [[nodiscard]] detect_count counted(std::size_t counter) const;
  // Zeroes for a lost GPU.
  [[nodiscard]] detect_state_counts state_counted() const;
  // The flows with anomalous packets.
  [[nodiscard]] anomaly_journal& journal() { return journal_; }
  [[nodiscard]] anomaly_journal const& journal() const { return journal_; }
  // The position of the models in force, in detect_root::sets.
  [[nodiscard]] std::size_t set_in_force() const { return current_; }
  // The memory that it has set aside.
  [[nodiscard]] std::size_t bytes() const;

  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon();

 private:
  [[nodiscard]] bool is_lost() const;
  void read_counts() const;
  [[nodiscard]] feature::state_ref state_of(std::size_t pipeline) const;
  [[nodiscard]] feature::table_counts counted_on_gpu(feature::table_counts const* in_place) const;

  table_place place_;
  feature::state_layout layout_;
  hash_key key_;
  std::uint32_t large_width_;
  table_memory networks_[2];
  table_memory root_;
  table_memory counts_;
  table_memory state_;
  // By pipeline, for executors of the CPU: the parts of the state that a thread has by itself.
  struct alignas(64) own_state {
    std::uint64_t spread;  // state_ref::spread
    feature::kept_adds kept;
    feature::table_counts flows;
    feature::table_counts hosts;
  };
  std::unique_ptr<own_state[]> own_;
  std::unique_ptr<second_look_room[]> second_looks_;
  anomaly_journal journal_;
  std::uint64_t current_{};
  mutable std::vector<detect_count> known_counts_;  // as last read, [pipelines][detect_counters]
};

}  // namespace packetwarp

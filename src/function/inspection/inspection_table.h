// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/hash_key.h"
#include "function/inspection/carried/stream_memory.h"
#include "function/inspection/host_inspection.h"
#include "function/inspection/host_windows.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/late_judge.h"
#include "function/inspection/record/alert_journal.h"
#include "function/inspection/record/alert_packets.h"
#include "function/inspection/record/packet_ring.h"
#include "function/inspection/stream_store.h"
#include "inspect/compiled/compile.h"
#include "inspect/language/regex.h"
#include "memory/table_memory.h"

namespace packetwarp {

// Rules as an inspection_table takes them. The rules outlive the call.
struct inspection_input {
  inspect::ruleset const& rules;
  std::size_t count{};  // of rules in rule_set::rules
  inspection_verdicts verdicts{};
};

// flows, rates: records of the tables, powers of two, 8 at least.
struct inspection_sizes {
  std::uint32_t flows{131'072};
  std::uint32_t rates{65'536};
  stream_sizes streams{};               // on the host
  fragment_handling fragments{};        // the same; without streams only headers
  wire::checksum_handling checksums{};  // the same; without streams they are ignored
  std::size_t packet_bytes{};           // per pipeline, for packets that alert; 0: they are not kept
  std::uint32_t heads{8192};            // without streams: rooms for heads of HTTP, a power of two
  std::uint32_t joined{4096};           // on a GPU: rooms for the texts of groups, a power of two
  // Connections of which segments are judged with the bytes around them, where streams are not followed: a GPU has as
  // many as `streams`, and a table on the host these.
  std::uint32_t carried{};
  std::uint32_t texts{65'536};  // rooms for such segments, a power of two
};

// The memory for streams that a GPU sets aside.
[[nodiscard]] std::size_t carried_bytes(inspection_sizes const& sizes);

// The memory of a table's rules and state, for `packetwarp plan`: without the pipelines' own.
[[nodiscard]] std::size_t inspection_bytes(inspection_input const& rules, inspection_sizes sizes);

// A pipeline's engines for the expressions of one set of rules.
using regex_engines = std::vector<std::unique_ptr<inspect::regex_library>>;
// Takes a while for many expressions: beside the master, for a change while packets pass.
[[nodiscard]] regex_engines make_regex_engines(inspect::ruleset const& rules, std::size_t pipelines);

// Owns rules, the state of flows, thresholds and counts, in the memory of the executors that use them. The pipelines of
// a place share the state, because a flow's two directions come in by two ports. Rules are replaced as a whole while
// packets go through: each packet is judged by the old ones or by the new ones. The state of flows stays; flowbits and
// thresholds begin anew. For a single thread.
class inspection_table {
 public:
  // engines: one per pipeline on the host, none on a GPU. Without engines late() has what they would decide on. Throws
  // failure if the memory is not available.
  inspection_table(inspection_input const& rules, regex_engines engines, inspection_sizes sizes, hash_key const& key,
                   std::size_t pipelines, table_place place);

  // A GPU has room for rules of twice the size that it began with: throws failure for more.
  void check_room(inspection_input const& rules) const;
  // Writes other rules beside those in force. Only once no packet is in flight that may have met the rules before the
  // last publish(). Throws failure if there is no room for them, and nothing is changed. The counts of the rules that
  // were there are gone; with a lost GPU, also the records that were not read, because they name those rules.
  void prepare(inspection_input const& rules, regex_engines engines);
  // Puts the prepared rules in force; only once the packets that were in flight at prepare() have left.
  void publish();
  // Sets the clock: 1/64 s.
  void set_clock(std::uint64_t now);

  // For the n-th pipeline of this place.
  [[nodiscard]] inspection_ref ref(std::size_t pipeline) const;

  // By rules of a set; for a lost GPU, as last read.
  [[nodiscard]] std::vector<inspection_rule_count> const& counted(std::size_t set) const;
  // The sums of all pipelines.
  [[nodiscard]] inspection_counts counted() const;
  [[nodiscard]] alert_journal& journal() { return journal_; }
  [[nodiscard]] alert_journal const& journal() const { return journal_; }
  // The table's GPU is lost: for the records of its rings, as record_journal's.
  void pass_unfinished() {
    journal_.pass_unfinished();
    if (late_) late_->pass_unfinished();
  }
  // The packets that the executors could not judge to the end; null: they have engines.
  [[nodiscard]] late_journal* late() { return late_ ? &*late_ : nullptr; }
  [[nodiscard]] late_journal const* late() const { return late_ ? &*late_ : nullptr; }
  // Takes the packet of the alert that the journal visits now; false: there is none.
  [[nodiscard]] bool take_packet(std::size_t pipeline, inspection_parts::alert const& seen,
                                 std::vector<std::byte>& into);
  // The position of the rules in force, in inspection_root::sets.
  [[nodiscard]] std::size_t set_in_force() const { return current_; }
  // The memory that it has set aside, without that of streams.
  [[nodiscard]] std::size_t bytes() const;
  // The streams that are followed now.
  [[nodiscard]] stream_store::use streams() const { return streams_ ? streams_->in_use() : stream_store::use{}; }

  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon();

 private:
  // The memory of one set of rules.
  struct set_memory {
    table_memory rules{};
    table_memory counts{};
    table_memory bits{};
    std::size_t count{};  // of rules

    // In the order of needs_of().
    [[nodiscard]] std::array<table_memory*, 3> memories() { return {&rules, &counts, &bits}; }
    [[nodiscard]] std::array<table_memory const*, 3> memories() const { return {&rules, &counts, &bits}; }
  };
  struct need {
    std::size_t bytes;
    char const* what;
  };
  [[nodiscard]] std::array<need, 3> needs_of(inspection_input const& rules) const;
  [[nodiscard]] bool is_lost() const;
  void make_room(set_memory& memory, inspection_input const& rules) const;
  void clear(table_memory& memory) const;

  table_place place_;
  std::uint32_t flows_;
  hash_key key_;
  set_memory sets_[2];
  table_memory root_;
  table_memory counts_;
  table_memory flow_words_;
  table_memory head_rooms_;    // empty with streams
  table_memory joined_rooms_;  // the same
  stream_memory carried_;
  table_memory rate_words_;
  std::uint32_t rates_;
  alert_journal journal_;
  std::optional<late_journal> late_;
  std::unique_ptr<stream_store> streams_;  // null on a GPU, and without streams
  // By pipeline.
  mutable std::vector<inspection_host_side> host_;
  std::vector<std::unique_ptr<host_inspection>> judges_;
  std::vector<std::unique_ptr<host_texts>> texts_[2];  // by set, then by pipeline
  std::vector<std::unique_ptr<packet_ring>> packets_;  // with engines
  std::optional<alert_packets> slots_;                 // without
  regex_engines engines_[2];
  std::uint32_t generation_{};
  std::uint64_t current_{};
  mutable std::vector<inspection_rule_count> known_rules_[2];  // as last read
  mutable std::vector<inspection_counts> known_counts_;
};

}  // namespace packetwarp

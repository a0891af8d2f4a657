// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "function/rules/rules_layout.h"
#include "memory/table_memory.h"

namespace packetwarp {

enum class rules_direction : std::uint8_t { transfer, ingress, egress };

// A rule's condition on one word of a header.
struct rules_key_word {
  rules_word where;
  std::uint32_t value{};  // after the mask
};

// A rule as its table is built from it; module/rules/compile/table.h makes them from text. The `value` of a jump is a
// group's number; the table numbers counters.
struct rules_input {
  rules_direction direction{};
  port_id port;
  std::uint32_t group{};
  std::uint32_t priority{};
  std::uint32_t facts_mask{};
  std::uint32_t facts{};
  std::vector<rules_key_word> words;  // each place once, in any order
  std::vector<rules_range> ranges;
  std::vector<rules_action> actions;  // a verb that decides where the packet goes, or passes it on, is the last
  // The counter of a rule that counts and was in force before, which it keeps. Other rules get a new one at zero.
  std::uint32_t counter{rules_entry::none};
};

struct rules_port_input {
  port_id port;
  bool isolated{};
};

// The egress by which a pipeline sends packets that leave by a port.
struct rules_egress {
  port_id port;
  egress_index by{};
};

class rules_build;

// Owns compiled rules and their counters, in the memory of the executors that run them. Rules are replaced as a whole,
// while packets go through the table: each packet meets the old rules or the new ones. For a single thread.
class rules_table {
 public:
  // all: in the order of their creation; among rules with the same priority the earlier one applies. Throws usage_error
  // for a port above 31 or more words than a tuple has, failure if the memory is not available.
  rules_table(std::span<rules_input const> all, std::span<rules_port_input const> ports, table_place place);

  // Writes other rules beside the rules in force. Only once no packet is in flight that may have met the rules before
  // the last publish(). A GPU has room for rules of a little more than twice the size that it began with: throws
  // failure for more, and nothing is changed.
  void prepare(rules_build const& made);
  // Puts the prepared rules in force. Their bytes may arrive late for packets that a GPU already has: only once the
  // packets that it had at prepare() have left.
  void publish();

  // For a pipeline whose packets come in on `port`. Throws usage_error when rules may send its packets out by a port
  // that `egresses` does not have.
  [[nodiscard]] rules_ref ref(port_id port, std::span<rules_egress const> egresses) const;

  // The count of the n-th rule in force; nothing if `count` is not among its actions. For a lost GPU, the count as last
  // read.
  [[nodiscard]] std::optional<rules_counter> counted(std::size_t n) const;
  // The counter of each rule in force, for rules_input::counter; rules_entry::none for a rule that does not count.
  [[nodiscard]] std::span<std::uint32_t const> counters() const { return in_force_.counter_of; }

  // Hash tables that the longest lookup probes.
  [[nodiscard]] std::size_t most_tuples() const { return in_force_.most_tuples; }
  // Slots of one of them that the longest search for a rule probes.
  [[nodiscard]] std::size_t most_probes() const { return in_force_.most_probes; }
  [[nodiscard]] std::size_t bytes() const { return in_force_.bytes; }

  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon();

 private:
  // The facts about a set beside its bytes.
  struct facts {
    std::vector<std::uint32_t> counter_of;  // by rule; rules_entry::none if it does not count
    std::vector<std::uint32_t> sent_to;     // bit n: port n, of packets that come in on the port
    std::size_t most_tuples{};
    std::size_t most_probes{};
    std::size_t bytes{};
  };
  void clear_new_counters(rules_build const& made);
  void make_room(rules_build const& made, std::size_t bytes);
  [[nodiscard]] bool is_lost() const;

  table_place place_;
  table_memory sets_[2];
  table_memory root_;
  table_memory counters_;
  mutable std::unordered_map<std::uint32_t, rules_counter> known_;  // a GPU's counters, as last read
  std::uint64_t current_{};
  facts in_force_;
  facts prepared_;
};

}  // namespace packetwarp

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

// What a rule looks at in one word of a header.
struct rules_key_word {
  rules_word where;
  std::uint32_t value{};  // under the mask
};

// A rule as its table is built from it; flow/compile/table.h makes them of text. Of a jump, `value` is a group's
// number; counters are given out by the table.
struct rules_input {
  rules_direction direction{};
  port_id port;
  std::uint32_t group{};
  std::uint32_t priority{};
  std::uint32_t facts_mask{};
  std::uint32_t facts{};
  std::vector<rules_key_word> words;  // each place once, in any order
  std::vector<rules_range> ranges;
  std::vector<rules_action> actions;  // a verb that says where the packet goes, or passes it on, is the last
  // Of a rule that counts and was in force before: its counter then, to go on with. Others get one at zero.
  std::uint32_t counter{rules_entry::none};
};

struct rules_port_input {
  port_id port;
  bool isolated{};
};

// Where a pipeline sends what leaves by a port.
struct rules_egress {
  port_id port;
  egress_index by{};
};

class rules_build;

// Owns compiled rules and their counters, in the memory of whoever runs them. Rules are replaced as a whole, while
// packets go through the table: each packet meets those of before or those of after. One thread.
class rules_table {
 public:
  // all: in the order they were created; of rules with the same priority the earlier one applies. Throws usage_error
  // for a port above 31 or more words than a tuple has, failure for memory that is not there.
  rules_table(std::span<rules_input const> all, std::span<rules_port_input const> ports, table_place place);

  // Puts other rules beside those in force. Only once no packet is left that may have met rules of before the last
  // publish(). A GPU has room for rules of twice the size it began with, and some: throws failure for more, and nothing
  // is changed.
  void prepare(rules_build const& made);
  // Puts them in force. For packets that are already with a GPU their bytes may be late: only once those that were with
  // it at prepare() have left.
  void publish();

  // For a pipeline whose packets come in on `port`. Throws usage_error when rules may send its packets out by a port
  // that `egresses` does not have.
  [[nodiscard]] rules_ref ref(port_id port, std::span<rules_egress const> egresses) const;

  // What the n-th rule in force has seen; nothing without a `count` among its actions. Of a GPU that is lost, what it
  // had when it was last asked.
  [[nodiscard]] std::optional<rules_counter> counted(std::size_t n) const;
  // Where each rule in force is counted, to go on by rules_input::counter; rules_entry::none where it counts nothing.
  [[nodiscard]] std::span<std::uint32_t const> counters() const { return in_force_.counter_of; }

  // Hash tables that the longest lookup probes.
  [[nodiscard]] std::size_t most_tuples() const { return in_force_.most_tuples; }
  // Slots of one of them that are looked at to find the rule that is farthest from its place.
  [[nodiscard]] std::size_t most_probes() const { return in_force_.most_probes; }
  [[nodiscard]] std::size_t bytes() const { return in_force_.bytes; }

  // Leaves the memory to the process: a kernel that nobody can end may still use it.
  void abandon();

 private:
  // What is known of a set beside its bytes.
  struct facts {
    std::vector<std::uint32_t> counter_of;  // by rule; rules_entry::none where it counts nothing
    std::vector<std::uint32_t> sent_to;     // bit n: port n, of what comes in on the port
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
  mutable std::unordered_map<std::uint32_t, rules_counter> known_;  // of a GPU's counters, when they were last read
  std::uint64_t current_{};
  facts in_force_;
  facts prepared_;
};

}  // namespace packetwarp

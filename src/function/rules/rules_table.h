// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

// Owns compiled rules and their counters, in the memory of whoever runs them. Built at once; other rules are another
// table. ref() and counted() from any thread.
class rules_table {
 public:
  // all: in the order they were created; of rules with the same priority the earlier one applies. Throws usage_error
  // for a port above 31 or more words than a tuple has, failure for memory that is not there.
  rules_table(std::span<rules_input const> all, std::span<rules_port_input const> ports, table_place place);

  // For a pipeline whose packets come in on `port`. Throws usage_error when rules may send its packets out by a port
  // that `egresses` does not have.
  [[nodiscard]] rules_ref ref(port_id port, std::span<rules_egress const> egresses) const;

  // What the n-th rule given has seen; nothing without a `count` among its actions.
  [[nodiscard]] std::optional<rules_counter> counted(std::size_t n) const;

  // Hash tables that the longest lookup probes.
  [[nodiscard]] std::size_t most_tuples() const { return most_tuples_; }
  // Slots of one of them that are looked at to find the rule that is farthest from its place.
  [[nodiscard]] std::size_t most_probes() const { return most_probes_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.size(); }

  // Leaves the memory to the process: a kernel that nobody can end may still use it.
  void abandon();

 private:
  rules_ref all_{};
  table_memory memory_;
  table_memory counters_;
  std::vector<std::uint32_t> counter_of_;  // by rule; rules_entry::none where it counts nothing
  std::vector<std::uint32_t> sent_to_;     // bit n: port n, of what comes in on the port
  std::size_t most_tuples_{};
  std::size_t most_probes_{};
};

}  // namespace packetwarp

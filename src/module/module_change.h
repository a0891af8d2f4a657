// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace packetwarp {

// A change of one module's tables while packets look them up. The master calls these in their order, while it has the
// turn (change_turns.h); a call that returns bool does a slice of some hundred microseconds and returns true when all
// is done. Packets meet the tables of before until publish(), and the new ones from then on.
class module_change {
 public:
  module_change() = default;
  module_change(module_change const&) = delete;
  module_change& operator=(module_change const&) = delete;
  virtual ~module_change() = default;

  // Works the change out beside the tables in force. Throws usage_error with FILE:LINE; nothing is changed then.
  [[nodiscard]] virtual bool plan() { return true; }
  // Writes where nothing leads yet. Throws failure where there is no room. A grace period follows.
  virtual void prepare() {}
  // Changes entries that are put in force one by one. Throws failure; undo() follows then, and also where a later step
  // of another module throws.
  [[nodiscard]] virtual bool apply() { return true; }
  [[nodiscard]] virtual bool undo() { return true; }
  // The last step that may be refused: throws usage_error, with its own work undone.
  [[nodiscard]] virtual bool make_way() { return true; }
  // Puts the rest in force. Does not throw.
  virtual void publish() {}
  // Gives up what was replaced.
  [[nodiscard]] virtual bool finish() { return true; }

  // For whoever asked for the change.
  struct facts {
    std::string text;  // "3 routes and 1 neighbours changed"; empty: nothing to say
    std::vector<std::pair<std::string, std::uint64_t>> counts;
  };
  [[nodiscard]] virtual facts result() const { return {}; }
};

}  // namespace packetwarp

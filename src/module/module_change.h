// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace packetwarp {

// A change of one module's tables while packets look them up. The master calls these in their order, while the change
// has the `turn` (change_turns.h); a call that returns bool does a slice of some hundred microseconds and returns true
// when all is done. Packets meet the old tables until publish(), and the new ones from then on.
class module_change {
 public:
  module_change() = default;
  module_change(module_change const&) = delete;
  module_change& operator=(module_change const&) = delete;
  virtual ~module_change() = default;

  // Plans the change beside the tables in force. Throws usage_error with FILE:LINE; nothing is changed then.
  [[nodiscard]] virtual bool plan() { return true; }
  // Writes memory that nothing leads to yet. Throws failure if room is short. A grace period follows.
  virtual void prepare() {}
  // Changes entries that take effect one by one. Throws failure; undo() follows then, and also after a later step of
  // another module has thrown.
  [[nodiscard]] virtual bool apply() { return true; }
  [[nodiscard]] virtual bool undo() { return true; }
  // The last step that may be refused: throws usage_error, with its own work undone.
  [[nodiscard]] virtual bool make_way() { return true; }
  // Puts the rest into effect. Does not throw.
  virtual void publish() {}
  // Frees replaced parts, and removes what nothing replaces.
  [[nodiscard]] virtual bool finish() { return true; }

  // For the request that asked for the change.
  struct facts {
    std::string text;  // "3 routes and 1 neighbours changed"; empty: no text
    std::vector<std::pair<std::string, std::uint64_t>> counts;
  };
  [[nodiscard]] virtual facts result() const { return {}; }
};

}  // namespace packetwarp

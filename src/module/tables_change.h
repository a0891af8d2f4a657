// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "module/change_turns.h"
#include "module/module_change.h"

namespace packetwarp {

// Takes changes of modules through their steps, all of them or none: every step that may be refused comes before the
// first publish(). For the master.
class tables_change {
 public:
  // `turn`: of `turns`, if the caller has it; nullptr: step() waits for it. `turns` outlives the change.
  tables_change(change_turns& turns, std::shared_ptr<void> turn, std::vector<std::unique_ptr<module_change>> changes)
      : turns_{turns}, turn_{std::move(turn)}, changes_{std::move(changes)} {}

  // Does a slice of the work, as much as a loop iteration of the master allows; true when all is done. Throws the
  // reason why the change is impossible, with nothing changed.
  [[nodiscard]] bool step();
  [[nodiscard]] bool is_published() const { return stage_ == stage::published; }
  [[nodiscard]] std::vector<std::unique_ptr<module_change>> const& changes() const { return changes_; }

 private:
  enum class stage : std::uint8_t { planning, prepared, applying, undoing, applied, published };
  [[nodiscard]] bool all(bool (module_change::*one)());
  void prepare();
  void apply();
  void undo();
  void publish();
  void retreat();

  change_turns& turns_;
  std::shared_ptr<void> turn_;
  std::vector<std::unique_ptr<module_change>> changes_;
  stage stage_{stage::planning};
  std::size_t at_{};            // the change in progress within the stage
  std::exception_ptr refused_;  // the reason for undoing the steps made
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "control/control_plane.h"
#include "master/data_plane.h"
#include "module/change_turns.h"
#include "module/config.h"

namespace packetwarp {

// A running network, as commands of its modules see it. The master's.
class run_view {
 public:
  run_view() = default;
  run_view(run_view const&) = delete;
  run_view& operator=(run_view const&) = delete;
  virtual ~run_view() = default;

  [[nodiscard]] virtual data_plane& plane() = 0;
  // The file's words that are in force, and the version of them, which each change counts up.
  [[nodiscard]] virtual network_config const& config() const = 0;
  [[nodiscard]] virtual std::uint64_t version() const = 0;
  // For changes of tables.
  [[nodiscard]] virtual change_turns& turns() = 0;
  // A change of tables is under way, and config() is that of before.
  [[nodiscard]] virtual bool is_changing() const = 0;
  // Neighbours as the control plane knows them, and the time by its clock.
  [[nodiscard]] virtual neighbour_cache const& neighbours() const = 0;
  [[nodiscard]] virtual control_time now() const = 0;
};

}  // namespace packetwarp

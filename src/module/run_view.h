// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/control_plane.h"
#include "master/data_plane.h"
#include "module/change_turns.h"
#include "module/config.h"

namespace packetwarp {

// A running network in the view of its modules' commands. For the master.
class run_view {
 public:
  run_view() = default;
  run_view(run_view const&) = delete;
  run_view& operator=(run_view const&) = delete;
  virtual ~run_view() = default;

  [[nodiscard]] virtual data_plane& plane() = 0;
  // The file's config that is in force, and its version, which each change increments.
  [[nodiscard]] virtual network_config const& config() const = 0;
  [[nodiscard]] virtual std::uint64_t version() const = 0;
  // The files that the run has read, reads again, or writes until its end: no request may overwrite them.
  [[nodiscard]] virtual std::vector<std::string> own_files() const = 0;
  // For changes of tables.
  [[nodiscard]] virtual change_turns& turns() = 0;
  // A change of tables is under way, and config() is the old one.
  [[nodiscard]] virtual bool is_changing() const = 0;
  // Neighbours that the control plane knows, and the time of its clock.
  [[nodiscard]] virtual neighbour_cache const& neighbours() const = 0;
  [[nodiscard]] virtual control_time now() const = 0;
};

}  // namespace packetwarp

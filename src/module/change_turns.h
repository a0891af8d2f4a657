// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/cycles.h"
#include "master/grace_period.h"
#include "module/module.h"

namespace packetwarp {

// Changes of tables come one at a time, and one ends when no packet is left that may have met the tables of before. The
// master's.
class change_turns {
 public:
  // Both outlive it.
  change_turns(data_plane const& plane, module_list const& modules) : grace_{plane}, modules_{modules} {}

  // The turn: nothing while another has it. The holder may change tables until it lets go of the turn, which outlives
  // nothing of this object.
  [[nodiscard]] std::shared_ptr<void> begin();
  // For the holder of the turn.
  [[nodiscard]] grace_period& grace() { return grace_; }
  // A change is under way.
  [[nodiscard]] bool is_changing() const { return state_ == state::under_way; }
  // Between the master's looks: has modules reclaim what was replaced.
  void poll(cycles now);

 private:
  enum class state : std::uint8_t { none, under_way, settling };
  void settle();

  grace_period grace_;
  module_list const& modules_;
  state state_{state::none};
  cycles reclaimed_{};  // when modules did last
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/cycles.h"
#include "master/grace_period.h"
#include "module/module.h"

namespace packetwarp {

// Orders changes of tables: one at a time, and one ends when no packet is in flight that may have met the old tables.
// For the master.
class change_turns {
 public:
  // Both outlive it.
  change_turns(data_plane const& plane, module_list const& modules) : grace_{plane}, modules_{modules} {}

  // Gives the `turn` to change tables; nothing while another change has it. The holder may change tables until it
  // releases it, and must release it within this object's life.
  [[nodiscard]] std::shared_ptr<void> begin();
  // For the holder of the `turn`.
  [[nodiscard]] grace_period& grace() { return grace_; }
  // A change is under way.
  [[nodiscard]] bool is_changing() const { return state_ == state::under_way; }
  // To be called between the master's loop iterations: makes modules reclaim replaced entries.
  void poll(cycles now);

 private:
  enum class state : std::uint8_t { none, under_way, settling };
  void settle();

  grace_period grace_;
  module_list const& modules_;
  state state_{state::none};
  cycles reclaimed_{};  // time of the last reclaim
};

}  // namespace packetwarp

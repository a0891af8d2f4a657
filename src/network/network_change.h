// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string_view>

#include "module/tables_change.h"
#include "network/network.h"

namespace packetwarp {

// Has a running network be another one: all of that is checked before the first thing is changed, and all of it is
// changed or nothing. Packets meet the tables of before or the new ones; what is changed entry by entry, the modules
// say. The master's.
class network_change {
 public:
  // Reads what is wanted, on a thread of its own.
  using maker = std::function<network_config(network_config const& now)>;
  // net outlives it.
  network_change(network& net, maker wanted);

  // A slice of the work, as much as a look of the master may take; true when all is done. Throws why it cannot be, with
  // nothing changed: what the maker threw, too.
  [[nodiscard]] bool step();
  // What was wanted is in force.
  [[nodiscard]] bool is_published() const { return steps_ && steps_->is_published(); }
  // From then on: what has changed in the module of this name; nothing of one that the network has not.
  [[nodiscard]] module_change::facts result_of(std::string_view module) const;

 private:
  void read();
  void begin();
  [[nodiscard]] bool change();

  network& net_;
  maker wanted_;
  std::shared_ptr<void> turn_;
  std::future<std::shared_ptr<network_config const>> reading_;
  std::shared_ptr<network_config const> config_;
  std::optional<tables_change> steps_;  // of the network's modules, in their order
};

}  // namespace packetwarp

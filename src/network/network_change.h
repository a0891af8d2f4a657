// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/thread/abandoned.h"
#include "module/tables_change.h"
#include "network/network.h"

namespace packetwarp {

// Changes a running network into another one: everything is checked before the first change, and either all changes are
// made or none. Packets meet the old tables or the new ones; the modules say which tables change entry by entry. For
// the master.
class network_change {
 public:
  // Reads the wanted config, on a thread of its own. It calls `need` often, and lets its exception pass.
  using maker = std::function<network_config(network_config const& now, need_check const& need)>;
  // net outlives it.
  network_change(network& net, maker wanted);
  network_change(network_change const&) = delete;
  network_change& operator=(network_change const&) = delete;
  // Waits for the maker, which gives up at its next call of `need`.
  ~network_change();

  // Does a slice of the work, as much as a loop iteration of the master allows; true when all is done. Throws the
  // reason why the change is impossible, with nothing changed: the maker's exceptions, too.
  [[nodiscard]] bool step();
  // The wanted config is in force.
  [[nodiscard]] bool is_published() const { return steps_ && steps_->is_published(); }
  // Once it is published: the changes of the module of this name; nothing for a module that the network does not have.
  [[nodiscard]] module_change::facts result_of(std::string_view module) const;

 private:
  void read();
  void begin();
  [[nodiscard]] bool change();

  network& net_;
  maker wanted_;
  std::shared_ptr<void> turn_;
  std::stop_source end_;  // of the reading
  std::future<std::shared_ptr<network_config const>> reading_;
  std::shared_ptr<network_config const> config_;
  std::optional<tables_change> steps_;  // the changes of the network's modules, in their order
};

}  // namespace packetwarp

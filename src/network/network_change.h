// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "flow/rule_book.h"
#include "module/rules/rules_work.h"
#include "network/network.h"
#include "network/network_settings.h"

namespace packetwarp {

// What a running network is to be.
struct wanted_network {
  network_settings settings;
  network_edits edits;    // that make it of what the network is
  flow::rule_book rules;  // where it has rules
};

// Has a running network be another one: all of that is checked before the first thing is changed, and all of it is
// changed or nothing. Routes and neighbours change one after the other, a few at a time; packets meet those of before
// or those of after. The master's.
class network_change {
 public:
  // Works out what is wanted, on a thread of its own. ports: those that rules may be of.
  using maker = std::function<wanted_network(network_settings const& now, std::vector<port_id> const& ports)>;
  // net outlives it.
  network_change(network& net, maker wanted);

  // A slice of the work, as much as a look of the master may take; true when all is done. Throws why it cannot be, with
  // nothing changed: what the maker threw, too.
  [[nodiscard]] bool step();
  // What was wanted is in force.
  [[nodiscard]] bool is_published() const { return stage_ == stage::published; }
  // From then on: what has changed of routes and neighbours.
  [[nodiscard]] network_edits const& edits() const { return plan_->edits; }

 private:
  enum class stage : std::uint8_t { begin, planning, checked, prepared, applying, undoing, applied, published };
  void plan();
  void check();
  void prepare();
  void apply();
  void retreat();
  void undo();
  [[nodiscard]] bool make_way();
  void publish();

  network& net_;
  maker wanted_;
  stage stage_{stage::begin};
  std::shared_ptr<void> turn_;
  std::future<wanted_network> planned_;
  std::unique_ptr<wanted_network> plan_;
  std::optional<rules_work> rules_;
  std::optional<nat::change> nat_;
  std::size_t done_{};          // edits that are begun; all but the last are finished
  std::exception_ptr refused_;  // why what was done is undone
};

}  // namespace packetwarp

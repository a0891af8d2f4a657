// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "module/rules/rules_work.h"
#include "network/network.h"

namespace packetwarp {

// Changes the rules of a running network: waits for its turn and puts in force what `wanted` makes of them. The
// master's.
class rule_book_edit {
 public:
  // wanted: any thread; what it throws is thrown by step(), and nothing is changed. net outlives it.
  rule_book_edit(network& net, rules_work::maker wanted) : net_{net}, work_{*net.rules(), std::move(wanted), "flow"} {}

  // A slice of the work, as much as a look of the master may take; true when it is done.
  [[nodiscard]] bool step();

 private:
  enum class stage : std::uint8_t { planning, prepared, published };

  network& net_;
  rules_work work_;
  std::shared_ptr<void> turn_;
  stage stage_{stage::planning};
};

}  // namespace packetwarp

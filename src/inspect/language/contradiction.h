// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "inspect/language/rule.h"

namespace packetwarp::inspect {

// A check of payload with which the rule can never match, or says nothing. Suricata refuses nearly all such rules, too.
struct contradiction {
  std::size_t check;  // its place in rule::payload
  std::string message;
};

[[nodiscard]] std::optional<contradiction> contradiction_of(rule const& one);

}  // namespace packetwarp::inspect

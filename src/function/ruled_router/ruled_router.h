// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "function/router/router.h"
#include "function/rules/rules_before.h"

namespace packetwarp {

// Flow rules, and the router for what they do not decide on.
struct ruled_router : rules_before<router> {
  static constexpr std::string_view name = "rules, router";
};
static_assert(packet_function<ruled_router> && has_stays_near<ruled_router>);

}  // namespace packetwarp

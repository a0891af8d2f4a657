// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "function/nat44/nat44.h"
#include "function/rules/rules_before.h"

namespace packetwarp {

// Flow rules, and NAT44 with its router for what they do not decide on. Ingress rules see packets as they were
// received, egress rules as they leave: with outside addresses on an outside interface.
struct ruled_nat44 : rules_before<nat44> {
  static constexpr std::string_view name = "rules, nat44";
};
static_assert(packet_function<ruled_nat44> && looks_ahead<ruled_nat44> && has_stays_near<ruled_nat44>);

}  // namespace packetwarp

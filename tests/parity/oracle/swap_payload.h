// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "function/swap_payload/swap_payload.h"
#include "parity/oracle/forward.h"

namespace packetwarp::test {

template <>
struct oracle<swap_payload> {
  static constexpr swap_payload::ref tables{egress_index{5}};
  // The payload begins in the first segment, or is the second.
  static verdict process(oracle_packet packet) {
    auto const said = oracle<forward>::process(packet);
    if (said.what() != verdict::action::forward || packet.first.size() < 60) return said;
    auto const payload = packet.first.size() > 60 ? packet.first.subspan(60) : packet.second;
    if (payload.size() >= 12) std::rotate(payload.begin(), payload.begin() + 6, payload.begin() + 12);
    return said;
  }
};

}  // namespace packetwarp::test

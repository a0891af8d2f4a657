// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "function/forward/forward.h"
#include "function/forward/mac_swap_oracle.h"
#include "parity/oracle.h"

namespace packetwarp::test {

template <>
struct oracle<forward> {
  static constexpr forward::ref tables{egress_index{5}};
  static verdict process(oracle_packet packet) {
    if (packet.first.size() < shortest_frame) return verdict::drop(function_drop(forward::runt));
    swap_macs(packet.first.data(), packet.first.size());
    return verdict::forward(egress_index{5});
  }
};

}  // namespace packetwarp::test

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "function/nat44/nat44.h"
#include "function/nat44/nat44_table.h"
#include "parity/oracle.h"
#include "wire/address_text.h"

namespace packetwarp::test {

// Packets that come in by the router's first interface and leave by the second are translated; a port of the outside
// address leads back in. All ports are the pool's and all sessions one host's, so that each keeps its own port,
// whichever packet makes it first.
[[nodiscard]] inline nat44_config corpus_nat() {
  auto const ip4 = [](std::string_view text) { return wire::parse_ipv4(text).value(); };
  nat44_config made;
  made.pool = {{ip4("203.0.113.1"), ip4("203.0.113.1")}};
  made.first_port = 1;
  made.hash_key = {0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
  made.interfaces = {nat::side::inside, nat::side::outside};
  made.port_forwards = {{nat::transport::udp, {ip4("10.0.0.2"), 80}, {ip4("203.0.113.1"), 8080}}};
  return made;
}

template <>
struct suite_tables<nat44> {
  [[nodiscard]] static table_refs<nat44> in(table_place copy, company) {
    auto const make = [](table_place place) {
      auto* const table = new nat44_table{corpus_nat(), place};
      table->tick(0);
      return table;
    };
    static auto const* const on_host = make({});
    if (copy.gpu == table_place::host) return {on_host->cpu(), on_host->cpu()};
    static auto const* const on_gpu = make(copy);
    return {on_gpu->cpu(), on_gpu->gpu()};
  }
};

}  // namespace packetwarp::test

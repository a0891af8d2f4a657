// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/two_directions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "inspect/language/coverage.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

// Whether the rule asks about an established connection, a server's packets, a stream, or a message in one.
[[nodiscard]] bool needs_both_directions(inspect::rule const& one) {
  return one.flow.connection == inspect::connection_need::established ||
         one.flow.direction == inspect::direction_need::to_client ||
         one.flow.stream == inspect::stream_need::only_stream || one.protocol == inspect::rule_protocol::http ||
         one.protocol == inspect::rule_protocol::tls || inspect::is_for_streams(one);
}

// The stage of the chain that translates addresses; empty if none does.
[[nodiscard]] std::string_view translator_of(function_facts const& chain) {
  for (auto const* const kind : module_kinds()) {
    if (kind->facts().translates && chain.has_stage(kind->name())) return kind->name();
  }
  return {};
}

}  // namespace

std::string text_of_two_directions(inspection_config const& one, network_config const& beside) {
  auto const translator = translator_of(*beside.plane.function);
  if (translator.empty()) return {};
  auto const count = std::ranges::count_if(one.rules->rules.rules, [](inspect::rule const& each) {
    return each.gaps.empty() && needs_both_directions(each);
  });
  if (count == 0) return {};
  return fmt::format(
      "inspect beside {0}: {1} rules need both directions of a connection (flow:established or to_client, streams of "
      "TCP, HTTP, TLS), and never match for a connection that {0} translates: packets are judged before their "
      "translation, so an answer has other addresses than its request; inspect on a router in front of the NAT, or "
      "give rules for the packets of the inside interface alone",
      translator, count);
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/function.h"
#include "function/rules/rules.h"

namespace packetwarp {

// What a function that looks ahead has seen of a packet; nothing of one that does not.
template <class F>
struct outlook_of {
  struct type {};
};
template <looks_ahead F>
struct outlook_of<F> {
  using type = typename F::outlook;
};

// Flow rules in front of function Next: what no rule decides on is Next's, and what that sends out by a port goes
// through the port's egress rules. Packets come to Next as they were received, for what it punts may be put back in
// front of the rules: a rule that changes packets says where they go (whoever makes the table sees to it).
template <packet_function Next>
struct rules_before {
  struct ref {
    rules_ref rules;
    typename Next::ref next;
    // By egress, the port beyond it; no_port where its egress rules are nobody's to apply.
    std::uint8_t port_of[max_rules_ports]{};
  };
  static constexpr std::uint8_t no_port = 0xff;

  static constexpr auto drop_names = [] {
    std::array<std::string_view, rules::drop_names.size() + Next::drop_names.size()> all{};
    std::copy(rules::drop_names.begin(), rules::drop_names.end(), all.begin());
    std::copy(Next::drop_names.begin(), Next::drop_names.end(), all.begin() + rules::drop_names.size());
    return all;
  }();
  static constexpr bool follows_from_header = false;

  // Both look at it.
  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view view) requires has_stays_near<Next> {
    return rules::stays_near(view) && Next::stays_near(view);
  }

  [[nodiscard]] HOST_DEVICE static verdict process(packet_view view, ref const& tables) {
    if (rules::pass(view, tables.rules)) return finish(view, tables, Next::process(view, tables.next));
    return rules::process_or(view, tables.rules, [&](rules_packet const&) {
      return finish(view, tables, Next::process(view, tables.next));
    });
  }

  // The steps of a CPU that looks ahead (function.h): those of Next, for most packets are its.
  using outlook = typename outlook_of<Next>::type;
  [[nodiscard]] static outlook look_ahead(packet_view view, ref const& tables) requires looks_ahead<Next> {
    return Next::look_ahead(view, tables.next);
  }
  static void look_further(outlook& seen, ref const& tables) requires looks_ahead<Next> {
    Next::look_further(seen, tables.next);
  }
  [[nodiscard]] static verdict process(packet_view view, ref const& tables,
                                       outlook const& seen) requires looks_ahead<Next> {
    if (rules::pass(view, tables.rules)) return finish(view, tables, Next::process(view, tables.next, seen));
    return rules::process_or(view, tables.rules, [&](rules_packet const&) {
      return finish(view, tables, Next::process(view, tables.next, seen));
    });
  }

 private:
  // What Next says, as whoever runs both has it said.
  [[nodiscard]] HOST_DEVICE static verdict finish(packet_view view, ref const& tables, verdict said) {
    switch (said.what()) {
      case verdict::action::forward:
        return leave(view, tables, said);
      case verdict::action::drop:
        return verdict::drop(behind_those_of_rules(said.why()));
      default:
        return said;
    }
  }
  [[nodiscard]] HOST_DEVICE static constexpr drop_reason behind_those_of_rules(drop_reason why) {
    if (why < drop_reason::first_of_function) return why;
    return static_cast<drop_reason>(static_cast<std::uint16_t>(why) + rules::drop_names.size());
  }
  [[nodiscard]] HOST_DEVICE static verdict leave(packet_view view, ref const& tables, verdict said) {
    auto const by = static_cast<std::uint16_t>(said.to());
    if (by >= max_rules_ports || tables.port_of[by] == no_port) return said;
    return rules::leave_by(view, tables.rules, tables.port_of[by], said);
  }
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/reload_check.h"

#include <optional>

namespace packetwarp {
namespace {

[[noreturn]] void refuse(yaml_place const& place, std::string const& key) {
  place.refuse((key.empty() ? std::string{} : "'" + key + "' ") + "cannot change while it runs; start again for it");
}

// What has not been there and is, or the other way round, is a change too.
void require_same(yaml_place const& was, yaml_place const& is, std::initializer_list<char const*> keys) {
  for (auto const* key : keys) {
    auto const then = was.find(key);
    auto const now = is.find(key);
    if (!then && !now) continue;
    if (!then) refuse(*now, "");
    if (!now) refuse(is, key);
    if (auto const place = now->first_difference(*then)) refuse(*place, "");
  }
}

// Sections whose presence says what the network does; some of what is in them may change.
void require_same_within(yaml_place const& was, yaml_place const& is, char const* section,
                         std::initializer_list<char const*> keys) {
  auto const then = was.find(section);
  auto const now = is.find(section);
  if (now && !then) refuse(*now, "");
  if (then && !now) refuse(is, section);
  if (now) require_same(*then, *now, keys);
}

}  // namespace

void require_reloadable(yaml_place const& was, yaml_place const& is) {
  require_same(was, is,
               {"eal", "control", "metrics", "event_log", "data_plane", "punt", "interfaces", "source_routes"});
  require_same_within(was, is, "nat44",
                      {"inside", "outside", "output_feature", "ports", "sessions", "share_prefix", "hosts", "addresses",
                       "log", "log_one_in", "state"});
  require_same_within(was, is, "rules", {"on", "receive_queues", "hairpin_queues", "hairpin_mode"});
  // Rules alone are another function than rules in front of routes; NAT44 routes by itself.
  if (is.find("rules") && !is.find("nat44")) require_same_within(was, is, "routes", {});
}

std::vector<std::string> changed_nat44_keys(yaml_place const& was, yaml_place const& is) {
  auto const then = was.find("nat44");
  auto const now = is.find("nat44");
  std::vector<std::string> changed;
  if (!then || !now) return changed;
  for (auto const* key : {"pool", "pooling", "filtering", "timeouts", "per_host", "per_prefix", "static", "forwarding",
                          "log_room", "state_period"}) {
    auto const before = then->find(key);
    auto const after = now->find(key);
    bool const is_same = before && after ? !after->first_difference(*before) : !before && !after;
    if (!is_same) changed.emplace_back(key);
  }
  return changed;
}

}  // namespace packetwarp

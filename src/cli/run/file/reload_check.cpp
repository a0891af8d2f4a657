// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/reload_check.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "module/chain.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

[[noreturn]] void refuse(yaml_place const& place, std::string const& key) {
  place.refuse((key.empty() ? std::string{} : "'" + key + "' ") + "cannot change while it runs; start again for it");
}

using key_names = std::span<std::string_view const>;

// A key that appears or disappears is a change too.
void require_same(yaml_place const& was, yaml_place const& is, key_names keys) {
  for (auto const key : keys) {
    auto const then = was.find(std::string{key});
    auto const now = is.find(std::string{key});
    if (!then && !now) continue;
    if (!then) refuse(*now, "");
    if (!now) refuse(is, std::string{key});
    if (auto const place = now->first_difference(*then)) refuse(*place, "");
  }
}

// The same within a section that both have.
void require_same_within(yaml_place const& was, yaml_place const& is, std::string const& section, key_names keys) {
  auto const then = was.find(section);
  auto const now = is.find(section);
  if (then && now) require_same(*then, *now, keys);
}

// The sections whose presence decides which modules the network has.
void require_same_chain(yaml_place const& was, yaml_place const& is) {
  if (&chain_of(was) == &chain_of(is)) return;
  auto const all = module_kinds();
  std::for_each(all.rbegin(), all.rend(), [&](auto const* kind) {
    std::string const section{kind->facts().keys.all.front()};
    auto const then = was.find(section);
    auto const now = is.find(section);
    if (now && !then) refuse(*now, "");
    if (then && !now) refuse(is, section);
  });
}

}  // namespace

void require_reloadable(yaml_place const& was, yaml_place const& is) {
  constexpr std::array<std::string_view, 10> fixed{"eal",        "lcores", "control",    "metrics", "event_log",
                                                   "data_plane", "punt",   "interfaces", "chain",   "chain_as"};
  require_same(was, is, fixed);
  for (auto const* const kind : module_kinds()) require_same(was, is, kind->facts().keys.fixed);
  require_same_chain(was, is);
  for (auto const* const kind : module_kinds()) {
    auto const keys = kind->facts().keys;
    require_same_within(was, is, std::string{keys.all.front()}, keys.fixed_within);
  }
}

std::vector<std::string> changed_keys(module_kind const& of, yaml_place const& was, yaml_place const& is) {
  auto const keys = of.facts().keys;
  auto const then = was.find(std::string{keys.all.front()});
  auto const now = is.find(std::string{keys.all.front()});
  std::vector<std::string> changed;
  if (!then || !now) return changed;
  for (auto const key : keys.told_within) {
    auto const before = then->find(std::string{key});
    auto const after = now->find(std::string{key});
    bool const is_same = before && after ? !after->first_difference(*before) : !before && !after;
    if (!is_same) changed.emplace_back(key);
  }
  return changed;
}

}  // namespace packetwarp

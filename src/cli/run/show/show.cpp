// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/show/show.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/error.h"
#include "cli/run/show/drops.h"
#include "cli/run/show/interfaces.h"
#include "cli/run/show/memory.h"
#include "cli/run/show/nat.h"
#include "cli/run/show/neighbours.h"
#include "cli/run/show/routes.h"
#include "cli/run/show/rules.h"

namespace packetwarp {
namespace {

constexpr std::string_view show_word = "show ";

struct known_noun {
  std::string_view name;
  request_work (*make)(request const&, network&, supervisor const&);
};
// Of a noun that needs nothing but the network.
template <request_work (*Make)(request const&, network&)>
[[nodiscard]] request_work of_network(request const& asked, network& net, supervisor const&) {
  return Make(asked, net);
}

constexpr std::array known_nouns{known_noun{"interfaces", show_interfaces},
                                 known_noun{"routes", of_network<show_routes>},
                                 known_noun{"neighbours", of_network<show_neighbours>},
                                 known_noun{"nat", of_network<show_nat>},
                                 known_noun{"rules", of_network<show_rules>},
                                 known_noun{"drops", of_network<show_drops>},
                                 known_noun{"memory", of_network<show_memory>}};

}  // namespace

request_work show_noun(request const& asked, network& net, supervisor const& watches) {
  if (!asked.command.starts_with(show_word)) return nullptr;
  auto const noun = std::string_view{asked.command}.substr(show_word.size());
  std::string all;
  for (auto const& one : known_nouns) {
    if (one.name == noun) return one.make(asked, net, watches);
    all.append(all.empty() ? "" : ", ").append(one.name);
  }
  throw usage_error(fmt::format("show: the running packetwarp knows no such noun; it has {}", all));
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/show/show.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/run/show/drops.h"
#include "cli/run/show/interfaces.h"
#include "cli/run/show/memory.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

constexpr std::string_view show_word = "show ";

struct known_noun {
  std::string_view name;
  request_work (*make)(request const&, network&, supervisor const&);
};
// For a noun that needs only the network.
template <request_work (*Make)(request const&, network&)>
[[nodiscard]] request_work of_network(request const& asked, network& net, supervisor const&) {
  return Make(asked, net);
}

constexpr std::array known_nouns{known_noun{"interfaces", show_interfaces}, known_noun{"drops", of_network<show_drops>},
                                 known_noun{"memory", of_network<show_memory>}};

// The nouns of modules come after the first of these.
[[nodiscard]] std::string all_nouns() {
  std::string all{known_nouns.front().name};
  for (auto const* const kind : module_kinds()) {
    for (auto const& one : kind->facts().commands) {
      if (one.name.starts_with(show_word)) all.append(", ").append(one.name.substr(show_word.size()));
    }
  }
  for (auto const& one : std::span{known_nouns}.subspan(1)) all.append(", ").append(one.name);
  return all;
}

}  // namespace

request_work show_noun(request const& asked, network& net, supervisor const& watches) {
  if (!asked.command.starts_with(show_word)) return nullptr;
  auto const noun = std::string_view{asked.command}.substr(show_word.size());
  for (auto const& one : known_nouns) {
    if (one.name == noun) return one.make(asked, net, watches);
  }
  throw usage_error(fmt::format("show: the running packetwarp knows no such noun; it has {}", all_nouns()));
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/loaded_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "inspect/language/rule_file.h"

namespace packetwarp {

std::shared_ptr<loaded_rules const> load_rules(std::span<std::string const> files,
                                               inspect::given_variables const& given, inspect::variables const& known) {
  auto rules = inspect::read_rule_files(files, known);
  if (!rules.problems.empty()) {
    auto const others = rules.problems.size() - 1;
    throw usage_error(others == 0 ? rules.problems.front()
                                  : fmt::format("{} (and {} more; 'packetwarp inspect check' lists all)",
                                                rules.problems.front(), others));
  }
  auto cover = inspect::coverage_of(rules);
  if (cover.usable == 0) throw usage_error("no rule is usable; 'packetwarp inspect check' says why");
  auto compiled = inspect::compile_rules(rules);
  std::vector<std::string> warnings;
  for (auto const& one : inspect::warnings_of_unused(given, rules))
    warnings.push_back(fmt::format("inspect.variables.{}", one));
  return std::make_shared<loaded_rules const>(loaded_rules{.rules = std::move(rules),
                                                           .cover = std::move(cover),
                                                           .compiled = std::move(compiled),
                                                           .warnings = std::move(warnings)});
}

std::string text_of_unusable(inspect::coverage const& cover) {
  constexpr std::size_t most = 8;
  if (cover.usable == cover.rules) return {};
  std::string names;
  for (std::size_t i = 0; i < std::min(most, cover.missing.size()); ++i) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", cover.missing[i].keyword, cover.missing[i].rules);
  }
  return fmt::format("{} of {} rules are left out, for {}{}", cover.rules - cover.usable, cover.rules, names,
                     cover.missing.size() > most ? ", ..." : "");
}

}  // namespace packetwarp

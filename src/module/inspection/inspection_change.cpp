// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/inspection_change.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace packetwarp {

bool inspection_change::plan() {
  if (!making_.valid()) {
    making_ = std::async(std::launch::async, [rules = section().rules, engines = of_.engines()] {
      return make_regex_engines(rules->compiled, engines);
    });
  }
  if (making_.wait_for(std::chrono::seconds{0}) != std::future_status::ready) return false;
  engines_ = making_.get();
  return true;
}

module_change::facts inspection_change::result() const {
  auto const& cover = section().rules->cover;
  auto const why = text_of_unusable(cover);
  auto text = fmt::format("{} rules of 'inspect' are in force{}{}", cover.usable, why.empty() ? "" : "; ", why);
  for (auto const& warning : section().rules->warnings) text += fmt::format("; {}", warning);
  return {.text = std::move(text), .counts = {{"inspect_rules", cover.usable}}};
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/options.h"

#include <algorithm>

#include "base/error.h"
#include "memory/eal_words.h"

namespace packetwarp {
namespace {

[[nodiscard]] bool names_config(std::string const& word) {
  return word == "-c" || word == "--config" || word.starts_with("--config=");
}

// The EAL has no option of this name, except -c MASK.
[[nodiscard]] bool is_config_alone(invocation const& call) {
  if (!call.options.empty() || call.eal.empty() || !names_config(call.eal.front())) return false;
  return call.eal.size() < 2 || !is_coremask(call.eal[1]);
}

}  // namespace

plan_options parse_plan_options(invocation call) {
  if (is_config_alone(call)) std::swap(call.options, call.eal);
  plan_options made{.call = std::move(call), .config = {}};
  auto const& words = made.call.options;
  if (std::none_of(words.begin(), words.end(), names_config)) return made;
  CLI::App app;
  app.add_option("-c,--config", made.config);
  parse_options(app, made.call);
  if (!made.config || made.config->empty())
    throw usage_error("-c: give the file that describes the network: plan -c FILE");
  return made;
}

}  // namespace packetwarp

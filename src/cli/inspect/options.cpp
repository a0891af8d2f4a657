// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect/options.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "cli/inspect/variable_check.h"

namespace packetwarp {
namespace {

constexpr std::string_view tasks = "give check or run; 'packetwarp inspect --help' says more";

[[nodiscard]] inspect_options::task inspect_task_called(std::string const& word) {
  if (word == "check") return inspect_options::task::check;
  if (word == "run") return inspect_options::task::run;
  throw usage_error(fmt::format("inspect '{}': {}", word, tasks));
}

[[nodiscard]] wire::checksum_handling checksums_called(std::string const& word) {
  if (word == "ignore") return wire::checksum_handling::ignore;
  if (word == "verify") return wire::checksum_handling::verify;
  throw usage_error(fmt::format("--checksums {}: give ignore or verify", word));
}

void set_variables(inspect_options& options, std::vector<std::string> const& texts) {
  std::set<std::string> seen;
  for (auto const& text : texts) {
    auto const equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) {
      throw usage_error(fmt::format("--var {}: give NAME=VALUE, such as HOME_NET=10.0.0.0/8", text));
    }
    auto const name = text.substr(0, equals);
    options.known.set(name, text.substr(equals + 1));
    options.given.emplace_back(name, text.substr(equals + 1));
    if (!seen.insert(name).second) {
      throw usage_error(fmt::format("--var {}: {} is given twice; give each variable once", text, name));
    }
  }
  require_values(options);
}

}  // namespace

inspect_options parse_inspect_options(invocation const& given) {
  auto call = with_words_as_options(given);
  if (call.options.empty()) throw usage_error(fmt::format("inspect: {}", tasks));
  inspect_options options;
  options.what = inspect_task_called(call.options.front());
  call.options.erase(call.options.begin());
  CLI::App app;
  std::vector<std::string> variables;
  std::string checksums = "ignore";
  bool is_strict = false;
  app.add_option("--var", variables)->expected(1)->take_all();
  if (options.what == inspect_options::task::check) {
    app.add_option("files", options.rules);
    app.add_flag("--strict", is_strict);
    app.add_option("--json", options.json);
  } else {
    app.add_option("--rules", options.rules);
    app.add_option("--pcap", options.pcap);
    app.add_option("--out", options.out);
    app.add_option("--checksums", checksums);
  }
  parse_options(app, call);
  set_variables(options, variables);
  if (is_strict) options.demand = inspect_options::rule_demand::require;
  if (options.what == inspect_options::task::check) {
    if (options.rules.empty()) throw usage_error("inspect check: give files of rules: inspect check FILE...");
    return options;
  }
  if (options.rules.empty()) throw usage_error("inspect run: give files of rules: --rules FILE...");
  if (options.pcap.empty()) throw usage_error("inspect run: give the capture: --pcap FILE");
  options.checksums = checksums_called(checksums);
  if (options.out.empty()) throw usage_error("--out: give a file, or - for standard output");
  return options;
}

}  // namespace packetwarp

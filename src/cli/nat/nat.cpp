// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/error.h"
#include "cli/command.h"
#include "cli/control/control_client.h"
#include "cli/nat/options.h"

namespace packetwarp {
namespace {

enum class form : std::uint8_t { text, json };

[[nodiscard]] std::string line_of(json const& one) {
  auto const word = [&](char const* key) { return one.value(key, std::string{}); };
  bool const is_configured = word("origin") == "configured";
  return fmt::format("{:<8}  {:<21}  {:<21}  {:>6}  {}", word("protocol"), word("inside"), word("outside"),
                     is_configured ? "-" : std::to_string(one.value("idle", 0U)),
                     is_configured ? word("origin") : word("state"));
}

void print_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print("{}\n", line);
}

void list_sessions(nat_options const& options, control_client& running) {
  request asked{.command = "nat sessions", .arguments = options.arguments};
  auto all = json::array();
  bool has_more = true;
  while (has_more && all.size() < options.limit) {
    auto const page = running.ask(asked);
    for (auto const& one : page.at("sessions")) {
      if (all.size() < options.limit) all.push_back(one);
    }
    has_more = page.contains("next");
    if (has_more) asked.arguments["from"] = page.at("next").get<std::string>();
  }
  if (options.prints_json) {
    fmt::print("{}\n", json{{"sessions", std::move(all)}}.dump(2));
    return;
  }
  print_line(fmt::format("{:<8}  {:<21}  {:<21}  {:>6}  {}", "protocol", "inside", "outside", "idle s", "state"));
  for (auto const& one : all) print_line(line_of(one));
}

void print_stats(nat_options const& options, control_client& running) {
  auto const said = running.ask({.command = "nat stats", .arguments = options.arguments});
  if (options.prints_json) {
    fmt::print("{}\n", said.dump(2));
    return;
  }
  auto const count = [&](char const* key) { return said.value(key, std::uint64_t{}); };
  fmt::print("sessions  {} of {}: udp {}, tcp {}, icmp {}; {} of them configured\n", count("live"), count("room"),
             count("udp"), count("tcp"), count("icmp"), count("configured"));
  fmt::print("made {}   ended {}, {} of them early   not tracked {}   not logged {}   conflicts {}\n", count("made"),
             count("ended"), count("evicted"), count("untracked"), count("unlogged"), count("conflicts"));
}

void save(nat_options const& options, control_client& running) {
  auto const said = running.ask({.command = "nat save", .arguments = options.arguments});
  if (options.prints_json) {
    fmt::print("{}\n", said.dump(2));
    return;
  }
  fmt::print("{} sessions saved to {}\n", said.value("saved", std::uint64_t{}), said.value("file", std::string{}));
}

}  // namespace

int run_nat(invocation const& call) {
  auto const options = parse_nat_options(call);
  control_client running{options.control};
  switch (options.what) {
    case nat_task::sessions:
      list_sessions(options, running);
      break;
    case nat_task::stats:
      print_stats(options, running);
      break;
    case nat_task::save:
      save(options, running);
      break;
  }
  return exit_success;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat44_kind.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "file/yaml_place.h"
#include "module/nat44/client/nat_client.h"
#include "module/nat44/nat44_module.h"
#include "module/nat44/nat44_reader.h"
#include "module/nat44/nat_requests.h"
#include "module/nat44/show_nat.h"

namespace packetwarp {

namespace help {
extern std::string_view const nat44_run_keys;  // client/in_run_keys.txt
}  // namespace help

namespace {

constexpr std::array<std::string_view, 1> nat44_keys{"nat44"};
constexpr std::array<std::string_view, 11> fixed_nat44_keys{"inside",   "outside",      "output_feature", "ports",
                                                            "sessions", "share_prefix", "hosts",          "addresses",
                                                            "log",      "log_one_in",   "state"};
constexpr std::array<std::string_view, 10> told_nat44_keys{"pool",     "pooling",     "filtering", "timeouts",
                                                           "per_host", "per_prefix",  "static",    "forwarding",
                                                           "log_room", "state_period"};

constexpr std::string_view no_nat44 = "the running network translates nothing: its file has no nat44";
constexpr std::array nat44_commands{
    module_command{"nat sessions",
                   [](request const& asked, stage_module& of, run_view&) {
                     return list_sessions(asked, static_cast<nat44_module&>(of));
                   },
                   no_nat44},
    module_command{"nat stats",
                   [](request const& asked, stage_module& of, run_view&) {
                     return count_sessions(asked, static_cast<nat44_module&>(of));
                   },
                   no_nat44},
    module_command{"nat save",
                   [](request const& asked, stage_module& of, run_view& run) {
                     return save_sessions(asked, static_cast<nat44_module&>(of), run);
                   },
                   no_nat44},
    module_command{"show nat",
                   [](request const& asked, stage_module& of, run_view& run) {
                     return show_nat(asked, static_cast<nat44_module&>(of), run);
                   },
                   "show nat: the running network translates nothing: its file has no nat44"}};

[[nodiscard]] std::vector<named_interface> interfaces_of(network_config const& config) {
  std::vector<named_interface> all;
  for (auto const& one : config.interfaces) {
    all.push_back({one.name, {}});
    for (auto const& own : one.addresses) {
      if (auto const* const ip4 = std::get_if<wire::ipv4_address>(&own.address)) {
        all.back().addresses.push_back({*ip4, own.length});
      }
    }
  }
  return all;
}

// The gateways of routes, and `neighbours`.
[[nodiscard]] std::vector<named_neighbour> neighbours_of(network_config const& config) {
  std::vector<named_neighbour> all;
  for (auto const& one : config.routes) {
    if (auto const* const ip4 = one.via ? std::get_if<wire::ipv4_address>(&*one.via) : nullptr) {
      all.push_back({*ip4, fmt::format("the route of line {} leads by it", one.line)});
    }
  }
  for (auto const& one : config.neighbours) {
    if (auto const* const ip4 = std::get_if<wire::ipv4_address>(&one.address)) {
      all.push_back({*ip4, fmt::format("it is in line {}, of 'neighbours'", one.line)});
    }
  }
  return all;
}

}  // namespace

std::span<module_command const> nat44_kind::commands() const { return nat44_commands; }

std::span<shown_noun const> nat44_kind::nouns() const { return nat_nouns(); }

std::span<client_command const> nat44_kind::client_commands() const { return nat_commands(); }

module_screen nat44_kind::screen() const { return nat_screen(); }

module_report nat44_kind::report() const { return {"nat", "NAT44's sessions. Takes no parameters"}; }

std::string_view nat44_kind::name() const { return nat44::name; }

module_keys nat44_kind::keys() const {
  return {.all = nat44_keys, .fixed_within = fixed_nat44_keys, .told_within = told_nat44_keys};
}

module_help nat44_kind::help() const { return {.keys = help::nat44_run_keys}; }

void nat44_kind::read(yaml_place const& root, network_config& into) const {
  auto const at = root.find("nat44");
  if (!at) return;
  into.sections.add(read_nat44_section(*at, interfaces_of(into), neighbours_of(into)));
}

std::string nat44_kind::describe(network_config const& config) const {
  auto const* const section = config.sections.find<nat44_section>();
  return section == nullptr ? std::string{} : describe_shares(section->config);
}

void nat44_kind::add_files(network_config const& config, module_files& to) const {
  auto const* const section = config.sections.find<nat44_section>();
  if (section != nullptr) to.written.insert(to.written.end(), {section->state, section->log});
}

std::unique_ptr<stage_module> nat44_kind::make(module_surroundings const& around) const {
  auto const* const section = around.config->sections.find<nat44_section>();
  if (section == nullptr) return nullptr;
  try {
    return std::make_unique<nat44_module>(*section, around.places);
  } catch (usage_error const& wrong) {
    throw usage_error(fmt::format("{}:{}: {}", around.config->file, section->line, wrong.what()));
  }
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat44_kind.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "file/yaml_place.h"
#include "function/nat44/nat44_tables.h"
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
    command_of<nat44_module, list_sessions>("nat sessions", no_nat44),
    command_of<nat44_module, count_sessions>("nat stats", no_nat44),
    command_of<nat44_module, save_sessions>("nat save", no_nat44),
    command_of<nat44_module, show_nat>("show nat",
                                       "show nat: the running network translates nothing: its file has no nat44")};

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

nat44_kind::nat44_kind()
    : section_kind{{.name = nat44::name,
                    .keys = {.all = nat44_keys, .fixed_within = fixed_nat44_keys, .told_within = told_nat44_keys},
                    .help = {.keys = help::nat44_run_keys},
                    .report = {"nat", "NAT44's sessions. Takes no parameters"},
                    .commands = nat44_commands,
                    .client = nat_client()}} {}

nat44_section nat44_kind::section_at(yaml_place const& at, network_config const& beside) const {
  return read_nat44_section(at, interfaces_of(beside), neighbours_of(beside));
}

void nat44_kind::check_section(nat44_section const& one, network_config const& config, plan const& planned) const {
  try {
    require_dividable(one.config, needs_gpu(config.plane.executor) ? planned.config.gpu.indexes.size() : 1);
  } catch (usage_error const& wrong) {
    throw usage_error(fmt::format("{}:{}: {}", config.file, one.line, wrong.what()));
  }
}

std::string nat44_kind::lines_of(nat44_section const& one) const { return describe_shares(one.config); }

void nat44_kind::add_files_of(nat44_section const& one, module_files& to) const {
  to.written.insert(to.written.end(), {one.state, one.log});
  if (!one.state.empty()) to.written.push_back(nat::session_file_writer::unfinished_name(one.state));
}

std::unique_ptr<stage_module> nat44_kind::make_of(nat44_section const& one, module_surroundings const& around) const {
  try {
    return std::make_unique<nat44_module>(one, around.places);
  } catch (usage_error const& wrong) {
    throw usage_error(fmt::format("{}:{}: {}", around.config->file, one.line, wrong.what()));
  }
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/network_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "cli/metrics/listen_address.h"
#include "cli/run/file/interfaces_section.h"
#include "cli/run/file/plane_section.h"
#include "cli/run/file/punt_section.h"
#include "file/values.h"
#include "file/yaml_place.h"
#include "function/nat44/nat44.h"
#include "function/router/router.h"
#include "function/rules/rules.h"
#include "module/nat44/nat44_reader.h"
#include "module/nat44/nat44_section.h"
#include "module/router/routes_section.h"
#include "module/rules/rules_config.h"

namespace packetwarp {
namespace {

constexpr std::array source_route_fates{choice{std::string_view{"drop"}, source_routes::drop},
                                        choice{std::string_view{"pass"}, source_routes::pass}};
constexpr std::array rules_sites{
    choice{std::string_view{"auto"}, rules_on::automatic}, choice{std::string_view{"nic"}, rules_on::nic},
    choice{std::string_view{"gpu"}, rules_on::gpu}, choice{std::string_view{"cpu"}, rules_on::cpu}};

[[nodiscard]] std::vector<std::string> names_of(std::vector<interface_config> const& interfaces) {
  std::vector<std::string> names;
  names.reserve(interfaces.size());
  for (auto const& one : interfaces) names.push_back(one.name);
  return names;
}

[[nodiscard]] hairpin_mode hairpin_mode_at(yaml_place const& place) {
  auto const text = place.text();
  char* end{};
  auto const bits = std::strtoull(text.c_str(), &end, 0);
  auto const mode = text.empty() || *end != 0 ? std::nullopt : hairpin_mode_of(bits);
  if (mode) return *mode;
  place.refuse(
      fmt::format("'{}' is none of 0x0 (a port to itself), 0x1 (a loop), 0x2 (pairs), or these with 0x10 for "
                  "egress rules of one's own",
                  text));
}

[[nodiscard]] rules_config read_rules(yaml_place const& place) {
  place.require_keys({"file", "on", "receive_queues", "hairpin_queues", "hairpin_mode", "isolate"});
  rules_config made{.line = place.line(), .file = place.at("file").text()};
  if (!std::ifstream{made.file}) {
    place.at("file").refuse(fmt::format("'{}' cannot be read; give a file of testpmd's flow commands", made.file));
  }
  if (auto const at = place.find("receive_queues"))
    made.receive_queues = static_cast<std::uint16_t>(at->number(1, 1024));
  if (auto const at = place.find("hairpin_queues")) made.hairpin_queues = static_cast<std::uint16_t>(at->number(0, 64));
  if (auto const at = place.find("hairpin_mode")) made.hairpin = hairpin_mode_at(*at);
  if (auto const at = place.find("on")) made.on = choice_at(*at, rules_sites);
  if (auto const at = place.find("isolate")) made.isolate = at->flag();
  return made;
}

void read_functions(yaml_place const& root, network_config& config) {
  if (auto const at = root.find("nat44")) {
    std::vector<named_interface> named;
    for (auto const& one : config.interfaces) {
      named.push_back({one.name, {}});
      for (auto const& own : one.addresses) {
        if (auto const* const ip4 = std::get_if<wire::ipv4_address>(&own.address))
          named.back().addresses.push_back({*ip4, own.length});
      }
    }
    config.sections.add(read_nat44_section(*at, named));
  }
  auto const at = root.find("rules");
  if (!at) return;
  // Pushed tags go into a packet's headroom, which a copy in GPU memory does not have.
  if (config.plane.where == placement::device) at->refuse("rules need 'placement: host'");
  config.sections.add(read_rules(*at));
}

// The stages that the file's sections ask for. What rules do not decide on is the host's, unless there is something
// that forwards it.
[[nodiscard]] function_facts const& function_of(yaml_place const& root, network_config const& config) {
  std::vector<std::string_view> stages;
  bool const has_rules = config.sections.find<rules_config>() != nullptr;
  bool const has_nat44 = config.sections.find<nat44_section>() != nullptr;
  if (has_rules) stages.push_back(rules::name);
  if (has_nat44) stages.push_back(nat44::name);
  if (!has_rules || has_nat44 || root.find("routes")) stages.push_back(router::name);
  return compiled_function(stages);
}

}  // namespace

network_file read_network_file(std::string const& file) {
  auto const root = read_yaml(file);
  root.require_keys({"eal", "control", "metrics", "event_log", "data_plane", "punt", "interfaces", "source_routes",
                     "routes", "neighbours", "nat44", "rules"});
  network_file made{.root = root, .network = {}, .eal = {}, .control = {}, .observers = {}};
  auto& config = made.network;
  config.file = file;
  if (auto const at = root.find("eal")) {
    for (auto const& word : at->items()) made.eal.push_back(word.text());
  }
  if (auto const at = root.find("control")) made.control = at->text();
  if (auto const at = root.find("metrics")) {
    made.observers.metrics = at->text();
    try {
      (void)parse_listen_address(made.observers.metrics, "metrics");
    } catch (usage_error const&) {
      at->refuse("give [ADDRESS:]PORT, such as 9464, 0.0.0.0:9464 or [::1]:9464");
    }
  }
  if (auto const at = root.find("event_log")) made.observers.event_log = at->text();
  read_interfaces(root.at("interfaces"), config);
  if (auto const at = root.find("data_plane")) read_plane_section(*at, names_of(config.interfaces), config.plane);
  if (auto const at = root.find("punt")) config.plane.punts = read_punt_section(*at);
  if (auto const at = root.find("source_routes")) config.source_routes = choice_at(*at, source_route_fates);
  if (auto const at = root.find("routes")) read_routes(*at, config);
  if (auto const at = root.find("neighbours")) read_neighbours(*at, config);
  read_functions(root, config);
  config.plane.function = &function_of(root, config);
  return made;
}

}  // namespace packetwarp

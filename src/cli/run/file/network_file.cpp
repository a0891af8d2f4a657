// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/network_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/cpu_list.h"
#include "cli/control/unix_socket.h"
#include "cli/metrics/http_server.h"
#include "cli/run/file/interfaces_section.h"
#include "cli/run/file/plane_section.h"
#include "cli/run/file/punt_section.h"
#include "file/distinct_files.h"
#include "file/values.h"
#include "file/yaml_place.h"
#include "memory/eal_cpus.h"
#include "module/chain.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::vector<std::string> names_of(std::vector<interface_config> const& interfaces) {
  std::vector<std::string> names;
  names.reserve(interfaces.size());
  for (auto const& one : interfaces) names.push_back(one.name);
  return names;
}

[[nodiscard]] std::vector<std::string_view> known_keys() {
  std::vector<std::string_view> all{"eal",        "lcores", "control",    "metrics", "event_log",
                                    "data_plane", "punt",   "interfaces", "chain",   "chain_as"};
  for (auto const* const kind : module_kinds()) {
    auto const own = kind->facts().keys.all;
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

[[nodiscard]] std::string lcores_at(yaml_place const& place) {
  auto text = place.text();
  auto const cpus = parse_cpu_list(text);
  if (text != allowed_lcores && (!cpus || cpus->empty())) {
    place.refuse(fmt::format("'{}' is neither 'allowed' nor a list of CPUs such as 0-3,8", text));
  }
  return text;
}

// A path, or "none".
[[nodiscard]] std::string control_at(yaml_place const& place) {
  if (place.name() == "none") return "none";
  auto made = written_file_at(place);
  if (made.size() > most_socket_path) {
    place.refuse(fmt::format("'{}' has {} bytes; a socket's path has at most {}; give a shorter one", made, made.size(),
                             most_socket_path));
  }
  std::error_code ignored;
  auto const there = std::filesystem::symlink_status(made, ignored);
  if (std::filesystem::exists(there) && !std::filesystem::is_socket(there)) {
    place.refuse(fmt::format("'{}' is a file that is no socket; give another path", made));
  }
  return made;
}

void read_metrics(yaml_place const& place, observer_options& into) {
  into.metrics = place.name();
  into.metrics_place = place.file_line() + ": ";
  listen_address asked;
  try {
    asked = parse_listen_address(into.metrics, "metrics");
  } catch (usage_error const&) {
    place.refuse("give [ADDRESS:]PORT, such as 9464, 0.0.0.0:9464 or [::1]:9464");
  }
  if (!is_address_here(asked)) {
    throw failure(
        fmt::format("{}: {}: this machine has no such address; give one that it has", place.told(), to_text(asked)));
  }
}

// Refuses a file that the network would both read and write, or write for two purposes, by the place of its name.
void require_distinct(network_file const& of) {
  module_files files{.read = {of.network.file}, .written = {of.observers.event_log}};
  if (of.control != "none") files.written.push_back(of.control);
  for (auto const* const kind : module_kinds()) kind->add_files(of.network, files);
  try {
    require_distinct_files(files.read, files.written);
  } catch (shared_file const& wrong) {
    if (auto const place = of.root.find_text(wrong.written())) place->refuse(wrong.what());
    throw;
  }
}

}  // namespace

network_file read_network_file(std::string const& file, need_check need) {
  auto const root = read_yaml(file, std::move(need));
  root.require_keys(known_keys());
  network_file made{
      .root = root, .network = {}, .eal = {}, .lcores = {}, .devices = {}, .control = {}, .observers = {}};
  auto& config = made.network;
  config.file = file;
  if (auto const at = root.find("eal")) {
    for (auto const& word : at->items()) made.eal.push_back(word.text());
  }
  if (auto const at = root.find("lcores")) made.lcores = lcores_at(*at);
  if (auto const at = root.find("control")) made.control = control_at(*at);
  if (auto const at = root.find("metrics")) read_metrics(*at, made.observers);
  if (auto const at = root.find("event_log")) made.observers.event_log = written_file_at(*at);
  made.devices = read_interfaces(root.at("interfaces"), config);
  if (auto const at = root.find("data_plane")) read_plane_section(*at, names_of(config.interfaces), config.plane);
  if (auto const at = root.find("punt")) config.plane.punts = read_punt_section(*at);
  for (auto const* const kind : module_kinds()) kind->read(root, config);
  config.plane.function = &chain_of(root);
  require_distinct(made);
  return made;
}

}  // namespace packetwarp

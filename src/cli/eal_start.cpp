// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/eal_start.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/container.h"
#include "base/process/privileges.h"
#include "base/process/runtime_folder.h"
#include "memory/eal_cpus.h"
#include "memory/eal_words.h"
#include "port/device/device_check.h"
#include "port/device/memif_socket.h"
#include "port/device/requested_device.h"
#include "port/device/requested_pci.h"
#include "port/replay/capture_file.h"

namespace packetwarp {
namespace {

[[nodiscard]] drivers drivers_of(std::span<std::string const> eal) {
  auto const words = read_eal_words(eal);
  return std::ranges::any_of(words, [](auto const& word) { return word.name == "-d"; }) ? drivers::and_others
                                                                                        : drivers::of_dpdk;
}

// The main lcore comes first: --main-lcore, or the lowest.
[[nodiscard]] std::vector<lcore_facts> lcores_of(requested_lcores const& asked, std::vector<std::string> const& eal) {
  std::vector<lcore_facts> all;
  for (auto const& one : asked.lcores) all.push_back({.id = lcore_id{one.id}, .cpus = to_text(one.cpus), .socket = -1});
  for (auto const& word : read_eal_words(eal)) {
    if (word.name != "--main-lcore" || !word.value) continue;
    auto const main =
        std::ranges::find_if(all, [&](auto const& one) { return std::to_string(one.id.value()) == *word.value; });
    if (main == all.end()) {
      throw usage_error(fmt::format("--main-lcore: {} is not among the lcores of {}", *word.value, asked.option));
    }
    std::rotate(all.begin(), main, main + 1);
  }
  return all;
}

}  // namespace

std::vector<std::string> check_eal_words(std::span<std::string const> given) {
  auto const words = with_allowed_lcores(given, allowed_cpus());
  require_usable_cpus(read_requested_lcores(words), usable_cpus());
  require_option_values(words);
  auto const devices = requested_devices(words);
  require_known_drivers(devices, drivers_of(words));
  require_distinct_names(devices);
  require_known_arguments(devices, drivers_of(words));
  auto const where = find_surroundings();
  require_interfaces(devices, where);
  require_free_sockets(devices);
  require_rights(devices, own_capabilities(), where);
  return check_captures(devices);
}

std::unique_ptr<eal_session> start_eal(invocation const& call) {
  raise_permitted(rights_of_ports);
  auto words = with_allowed_lcores(call.eal, allowed_cpus());
  words.insert(words.begin(), call.program);
  auto const captures_cut = check_eal_words(call.eal);
  give_eal_a_runtime_folder();
  auto const arguments = complete_eal_arguments(std::move(words), read_eal_machine());
  for (auto const& notice : arguments.notices) log().warn("{}", notice);
  for (auto const& notice : captures_cut) log().warn("{}", notice);
  remove_stale_sockets(requested_devices(call.eal));
  eal_log lines{arguments.lines};
  auto session = std::make_unique<eal_session>(arguments, lines);
  require_ports_of(requested_devices(call.eal), lines);
  require_ports_on_pci(call.eal);
  return session;
}

planning_eal start_eal_for_plan(invocation call) {
  planning_eal made;
  call.eal = with_allowed_lcores(call.eal, allowed_cpus());
  std::ranges::transform(call.eal, call.eal.begin(), without_outputs);
  auto const asked = read_requested_lcores(call.eal);
  auto const usable = usable_cpus();
  if (auto const missing = without(asked.cpus(), usable); !missing.empty() && !usable.empty()) {
    made.lcores = lcores_of(asked, call.eal);
    made.notice = fmt::format(
        "CPU {} is not one that this process may use: its lcores are planned as if they were, with no NUMA node known",
        to_text(missing));
    call.eal = without_lcores(call.eal);
    call.eal.insert(call.eal.end(), {"-l", std::to_string(usable.front())});
  }
  (void)check_eal_words(call.eal);  // before a word of packetwarp's own could be taken for the value of the last one
  require_unused_xdp(requested_devices(call.eal));
  call.eal = with_memory_of_its_own(std::move(call.eal));
  made.session = start_eal(call);
  return made;
}

}  // namespace packetwarp

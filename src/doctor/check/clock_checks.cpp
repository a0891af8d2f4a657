// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/machine/cpu_list.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

constexpr std::string_view cpus_folder = "/sys/devices/system/cpu";
// The time that an Intel processor takes to leave C1E; every deeper state takes longer.
constexpr std::uint64_t most_exit_microseconds = 10;

[[nodiscard]] bool has_word(std::string_view text, std::string_view word) {
  auto const words = words_of(text);
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The deepest idle state that a CPU may enter: the time to leave it, and its name.
[[nodiscard]] std::pair<std::uint64_t, std::string> deepest_state(machine_reader const& files, unsigned cpu) {
  auto const folder = fmt::format("{}/cpu{}/cpuidle", cpus_folder, cpu);
  std::pair<std::uint64_t, std::string> deepest{0, "none"};
  for (auto const& state : files.names(folder)) {
    if (!state.starts_with("state") || files.number(fmt::format("{}/{}/disable", folder, state)) != 0) continue;
    auto const latency = files.number(fmt::format("{}/{}/latency", folder, state));
    if (latency >= deepest.first) deepest = {latency, files.line(fmt::format("{}/{}/name", folder, state))};
  }
  return deepest;
}

}  // namespace

std::vector<reading> check_clocksource(machine const& m) {
  constexpr std::string_view folder = "/sys/devices/system/clocksource/clocksource0";
  auto const current = m.files.line(fmt::format("{}/current_clocksource", folder));
  if (current == "tsc") return just(status::ok, current);
  if (current.empty()) throw failure(fmt::format("{}/current_clocksource is empty", folder));
  bool const is_available = has_word(m.files.line(fmt::format("{}/available_clocksource", folder)), "tsc");
  if (is_available) return just(status::warn, current, fmt::format("echo tsc > {}/current_clocksource", folder));
  return just(status::warn, current, boot_parameters{"tsc=reliable clocksource=tsc"});
}

std::vector<reading> check_tsc(machine const& m) {
  auto const flags = m.files.field("/proc/cpuinfo", "flags");
  if (!flags) throw failure("/proc/cpuinfo has no line 'flags:'");
  bool const is_constant = has_word(*flags, "constant_tsc"), is_nonstop = has_word(*flags, "nonstop_tsc");
  if (!is_constant) return just(status::fail, "constant_tsc is not among the CPU's flags");
  return is_nonstop ? just(status::ok, "constant_tsc, nonstop_tsc")
                    : just(status::warn, "constant_tsc, but not nonstop_tsc: it stops in deep C-states");
}

std::vector<reading> check_c_states(machine const& m) {
  auto const isolated = isolated_cpus(m.files);
  auto const cpus = isolated.empty() ? read_cpu_list(m.files, fmt::format("{}/online", cpus_folder)) : isolated;
  if (m.files.line(fmt::format("{}/cpuidle/current_driver", cpus_folder)) == "none") {
    return just(status::ok, "the kernel uses none");
  }
  std::pair<std::uint64_t, std::string> deepest{0, "none"};
  cpu_list deep;
  for (auto const cpu : cpus) {
    if (!m.files.has(fmt::format("{}/cpu{}/cpuidle/state0", cpus_folder, cpu))) {
      throw failure(fmt::format("{}/cpu{}/cpuidle is not there: its idle states are not known", cpus_folder, cpu));
    }
    auto const state = deepest_state(m.files, cpu);
    if (state.first > most_exit_microseconds) deep.push_back(cpu);
    deepest = std::max(deepest, state);
  }
  auto const text = fmt::format("{}, {} us to leave", deepest.second, deepest.first);
  if (deep.empty()) return just(status::ok, text);
  return just(status::warn, fmt::format("{}, on CPUs {}", text, to_text(deep)),
              fmt::format("cpupower idle-set -D {}", most_exit_microseconds + 1));
}

std::vector<reading> check_governor(machine const& m) {
  std::map<std::string, cpu_list> by_governor;
  for (auto const cpu : read_cpu_list(m.files, fmt::format("{}/online", cpus_folder))) {
    auto const path = fmt::format("{}/cpu{}/cpufreq/scaling_governor", cpus_folder, cpu);
    if (m.files.has(path)) by_governor[m.files.line(path)].push_back(cpu);
  }
  if (by_governor.empty()) return just(status::skip, "the kernel does not scale frequencies here");
  if (by_governor.size() == 1 && by_governor.contains("performance")) return just(status::ok, "performance");
  std::string text;
  for (auto const& [governor, cpus] : by_governor) {
    text += fmt::format("{}{} on CPUs {}", text.empty() ? "" : ", ", governor, to_text(cpus));
  }
  return just(status::warn, text, "cpupower frequency-set -g performance");
}

std::vector<reading> check_turbo(machine const& m) {
  auto const no_turbo = fmt::format("{}/intel_pstate/no_turbo", cpus_folder);
  auto const boost = fmt::format("{}/cpufreq/boost", cpus_folder);
  if (m.files.has(no_turbo)) {
    if (m.files.number(no_turbo) == 0) return just(status::ok, "on");
    return just(status::warn, "off", fmt::format("echo 0 > {}", no_turbo));
  }
  if (m.files.has(boost)) {
    if (m.files.number(boost) != 0) return just(status::ok, "on");
    return just(status::warn, "off", fmt::format("echo 1 > {}", boost));
  }
  return just(status::skip, "the kernel has no say in it here");
}

}  // namespace packetwarp::doctor

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/cpu_list.h"

#include <fmt/format.h>

#include "base/error.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {

cpu_list read_cpu_list(machine_reader const& files, std::string_view path) {
  auto const said = files.line(path);
  // The text that the kernel prints for a mask that was never allocated.
  auto const cpus = parse_cpu_list(said == "(null)" ? "" : said);
  if (!cpus) throw failure(fmt::format("{} holds no list of CPUs", path));
  return *cpus;
}

cpu_list isolated_cpus(machine_reader const& files) { return read_cpu_list(files, "/sys/devices/system/cpu/isolated"); }

cpu_list worker_cpus(machine_reader const& files) {
  constexpr auto siblings = "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list";
  auto const first_core = files.has(siblings) ? read_cpu_list(files, siblings) : cpu_list{0};
  return without(read_cpu_list(files, "/sys/devices/system/cpu/online"), first_core);
}

std::optional<std::string> boot_parameter(machine_reader const& files, std::string_view name) {
  auto const line = files.line("/proc/cmdline");
  std::optional<std::string> value;
  for (auto const word : words_of(line)) {
    auto const equals = word.find('=');
    if (word.substr(0, equals) != name) continue;
    value = equals == word.npos ? "" : std::string{word.substr(equals + 1)};
  }
  return value;
}

}  // namespace packetwarp::doctor

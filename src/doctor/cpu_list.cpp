// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/cpu_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/error.h"
#include "doctor/text.h"

namespace packetwarp::doctor {
namespace {

constexpr std::uint64_t most_cpus = 8192;  // the kernel's CONFIG_NR_CPUS_RANGE_END on x86-64

}  // namespace

std::optional<cpu_list> parse_cpu_list(std::string_view text) {
  cpu_list cpus;
  while (!text.empty()) {
    auto const range = text.substr(0, text.find(','));
    auto const dash = range.find('-');
    auto const first = number_of(range.substr(0, dash));
    auto const last = dash == range.npos ? first : number_of(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last >= most_cpus) return std::nullopt;
    auto const begin = cpus.size();
    cpus.resize(begin + (*last - *first + 1));
    std::iota(cpus.begin() + static_cast<std::ptrdiff_t>(begin), cpus.end(), static_cast<unsigned>(*first));
    text.remove_prefix(range.size());
    if (text.size() == 1) return std::nullopt;  // a comma and nothing behind it
    if (!text.empty()) text.remove_prefix(1);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string to_text(cpu_list const& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    auto end = i;
    while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cpus[i]);
    if (end != i) text += fmt::format("-{}", cpus[end]);
    i = end + 1;
  }
  return text;
}

cpu_list without(cpu_list const& cpus, cpu_list const& others) {
  cpu_list rest;
  std::set_difference(cpus.begin(), cpus.end(), others.begin(), others.end(), std::back_inserter(rest));
  return rest;
}

cpu_list read_cpu_list(machine_reader const& files, std::string_view path) {
  auto const said = files.line(path);
  // What the kernel prints for a mask that it never made.
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

std::string add_boot_parameters(std::string_view parameters) {
  return fmt::format("sed -i 's/^GRUB_CMDLINE_LINUX_DEFAULT=\"/&{} /' /etc/default/grub && update-grub && reboot",
                     parameters);
}

}  // namespace packetwarp::doctor

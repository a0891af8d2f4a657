// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/machine/cpu_list.h"

namespace packetwarp::doctor {
namespace {

constexpr std::string_view nohz_full_file = "/sys/devices/system/cpu/nohz_full";

// The words that reserve CPUs for workers, for all parameters that isolate them: only together do they help.
[[nodiscard]] boot_parameters isolate(machine const& m) {
  auto const isolated = isolated_cpus(m.files);
  auto const cpus = to_text(isolated.empty() ? worker_cpus(m.files) : isolated);
  if (cpus.empty()) return {};  // a machine of one core
  // A kernel without CONFIG_NO_HZ_FULL would ignore the word.
  auto const nohz_full = m.files.has(nohz_full_file) ? fmt::format(" nohz_full={}", cpus) : std::string{};
  return {fmt::format("isolcpus={0}{1} rcu_nocbs={0} rcu_nocb_poll nowatchdog nmi_watchdog=0", cpus, nohz_full)};
}

// Whether `covered` has the isolated CPUs, or any CPU if none is isolated.
[[nodiscard]] std::vector<reading> check_cover(machine const& m, cpu_list const& covered) {
  if (covered.empty()) return just(status::warn, "no CPU", isolate(m));
  auto const missing = without(isolated_cpus(m.files), covered);
  auto const text = "CPUs " + to_text(covered);
  if (missing.empty()) return just(status::ok, text);
  return just(status::warn, fmt::format("{}, but not the isolated {}", text, to_text(missing)), isolate(m));
}

}  // namespace

std::vector<reading> check_isolcpus(machine const& m) {
  auto const isolated = isolated_cpus(m.files);
  if (isolated.empty()) return just(status::warn, "no CPU is isolated", isolate(m));
  auto const text = "CPUs " + to_text(isolated);
  if (isolated.front() != 0) return just(status::ok, text);
  return just(status::warn, text + "; CPU 0 is among them, where the kernel's own work gathers");
}

std::vector<reading> check_nohz_full(machine const& m) {
  if (!m.files.has(nohz_full_file)) {
    (void)m.files.line("/sys/devices/system/cpu/online");  // throws if the file cannot be read: then nothing is known
    return just(status::warn, "this kernel cannot (CONFIG_NO_HZ_FULL is off)");
  }
  return check_cover(m, read_cpu_list(m.files, nohz_full_file));
}

std::vector<reading> check_rcu_nocbs(machine const& m) {
  // The kernel adds the CPUs of nohz_full to those of rcu_nocbs by itself.
  auto cpus = m.files.has(nohz_full_file) ? read_cpu_list(m.files, nohz_full_file) : cpu_list{};
  if (auto const value = boot_parameter(m.files, "rcu_nocbs")) {
    auto const given =
        *value == "all" ? read_cpu_list(m.files, "/sys/devices/system/cpu/possible") : parse_cpu_list(*value);
    if (!given) throw failure("/proc/cmdline: rcu_nocbs= holds no list of CPUs");
    cpu_list all;
    std::set_union(cpus.begin(), cpus.end(), given->begin(), given->end(), std::back_inserter(all));
    cpus = all;
  }
  return check_cover(m, cpus);
}

std::vector<reading> check_watchdogs(machine const& m) {
  auto const hard = m.files.number("/proc/sys/kernel/nmi_watchdog");
  auto const soft = m.files.number("/proc/sys/kernel/soft_watchdog");
  if (hard == 0 && soft == 0) return just(status::ok, "off");
  return just(
      status::warn,
      fmt::format("NMI watchdog {}, soft lockup watchdog {}", hard == 0 ? "off" : "on", soft == 0 ? "off" : "on"),
      "sysctl -w kernel.nmi_watchdog=0 kernel.soft_watchdog=0");
}

std::vector<reading> check_hyperthreads(machine const& m) {
  auto const active = m.files.number("/sys/devices/system/cpu/smt/active");
  if (active == 0) return just(status::ok, "one CPU a core");
  auto const isolated = isolated_cpus(m.files);
  cpu_list with_sibling;
  for (auto const cpu : isolated) {
    auto const core =
        read_cpu_list(m.files, fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    if (core.size() - without(core, isolated).size() > 1) with_sibling.push_back(cpu);
  }
  constexpr auto turn_off = "echo off > /sys/devices/system/cpu/smt/control";
  if (isolated.empty()) return just(status::warn, "several CPUs a core", turn_off);
  if (with_sibling.empty()) return just(status::ok, "several CPUs a core, of which one at most is isolated");
  return just(status::warn, fmt::format("of the isolated CPUs, {} share cores", to_text(with_sibling)), turn_off);
}

}  // namespace packetwarp::doctor

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/process/privileges.h"
#include "base/units.h"
#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/machine/control_groups.h"
#include "doctor/machine/cpu_list.h"
#include "doctor/machine/hugepages.h"
#include "doctor/machine/pci_devices.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

struct capability {
  unsigned bit;  // bit number in linux/capability.h
  std::string_view name;
};
constexpr capability ipc_lock{14, "IPC_LOCK"};
constexpr std::array needed{capability{12, "NET_ADMIN"}, capability{13, "NET_RAW"}, ipc_lock,
                            capability{17, "SYS_RAWIO"}};

[[nodiscard]] std::uint64_t capabilities(machine const& m) {
  auto const mask = m.files.field("/proc/self/status", "CapEff");
  auto const value = mask ? number_of("0x" + *mask) : std::nullopt;
  if (!value) throw failure("/proc/self/status has no mask of capabilities ('CapEff:')");
  return *value;
}

[[nodiscard]] bool has(std::uint64_t mask, capability const& one) { return (mask >> one.bit & 1) != 0; }

struct group_limit {
  std::uint64_t bytes{};
  std::string path{};  // the file that sets it
};
// The smallest limit of a group and its parents; empty: none. Version 1 expresses "none" as a number that no machine
// has.
[[nodiscard]] std::optional<group_limit> smallest_limit(machine const& m, std::vector<std::string> const& paths) {
  constexpr std::uint64_t no_limit = std::uint64_t{1} << 62;
  std::optional<group_limit> smallest;
  for (auto const& path : paths) {
    if (m.files.line(path) == "max") continue;
    auto const bytes = m.files.number(path);
    if (bytes < no_limit && (!smallest || bytes < smallest->bytes)) smallest = group_limit{bytes, path};
  }
  return smallest;
}

// The CPU time that a group gets, in CPUs; empty: without limit.
[[nodiscard]] std::optional<double> quota_at(machine const& m, std::string const& path) {
  auto line = m.files.line(path);
  constexpr std::string_view quota_of_v1 = "cpu.cfs_quota_us";
  if (path.ends_with(quota_of_v1)) {
    if (line == "-1") return std::nullopt;
    line += " " + m.files.line(path.substr(0, path.size() - quota_of_v1.size()) + "cpu.cfs_period_us");
  }
  auto const words = words_of(line);
  if (words.size() == 2 && words[0] == "max") return std::nullopt;
  auto const time = words.size() == 2 ? number_of(words[0]) : std::nullopt;
  auto const period = words.size() == 2 ? number_of(words[1]) : std::nullopt;
  if (!time || !period || *period == 0) throw failure(fmt::format("{} holds no quota and period", path));
  return static_cast<double>(*time) / static_cast<double>(*period);
}

// "2MB", as the hugetlb controller names it.
[[nodiscard]] std::string size_name(std::uint64_t bytes) {
  constexpr std::uint64_t mib = 1 << 20, gib = 1 << 30;
  if (bytes % gib == 0) return fmt::format("{}GB", bytes / gib);
  if (bytes % mib == 0) return fmt::format("{}MB", bytes / mib);
  return fmt::format("{}KB", bytes / 1024);
}

// The CPUs that this process may use.
[[nodiscard]] std::size_t number_of_cpus(machine const& m) {
  auto const said = m.files.field("/proc/self/status", "Cpus_allowed_list");
  auto const allowed = said ? parse_cpu_list(*said) : std::nullopt;
  if (!allowed || allowed->empty()) throw failure("/proc/self/status names no CPUs ('Cpus_allowed_list:')");
  return allowed->size();
}

[[nodiscard]] bool uses_physical_port(machine const& m) {
  auto const nics = find_nics(m.files);
  return std::any_of(nics.begin(), nics.end(), [](auto const& nic) {
    return nic.driver == "vfio-pci" || nic.driver == "mlx5_core" || nic.driver == "mlx4_core";
  });
}

}  // namespace

std::vector<reading> check_capabilities(machine const& m) {
  auto const mask = capabilities(m);
  std::string missing, to_add, names;
  for (auto const& one : needed) {
    if (has(mask, one)) continue;
    missing += fmt::format("{}CAP_{}", missing.empty() ? "" : ", ", one.name);
    to_add += fmt::format(" --cap-add {}", one.name);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  }
  if (missing.empty()) return just(status::ok, "all that packetwarp's ports may need");
  return just(m, status::warn, missing + " missing",
              {.on_machine = fmt::format("setcap {} \"$(command -v packetwarp)\"", setcap_of_ports),
               .of_container = "docker run" + to_add,
               .in_manifest = fmt::format("securityContext.capabilities.add: [{}]", names)});
}

std::vector<reading> check_locked_memory(machine const& m) {
  constexpr std::string_view name = "Max locked memory";
  auto const limits = m.files.text("/proc/self/limits");
  for (auto const line : lines_of(limits)) {
    if (!line.starts_with(name)) continue;
    auto const words = words_of(line.substr(name.size()));
    if (words.empty()) break;
    if (words[0] == "unlimited") return just(status::ok, "unlimited");
    auto const bytes = number_of(words[0]);
    if (!bytes) break;
    if (has(capabilities(m), ipc_lock)) {
      return just(status::ok, format_size(*bytes) + ", which CAP_IPC_LOCK lifts");
    }
    auto const is = uses_physical_port(m) ? status::fail : status::warn;
    return just(m, is, format_size(*bytes) + ", and no CAP_IPC_LOCK",
                {.on_machine = "ulimit -l unlimited",
                 .of_container = "docker run --ulimit memlock=-1 ...",
                 .in_manifest = "securityContext.capabilities.add: [IPC_LOCK]"});
  }
  throw failure("/proc/self/limits does not say how much memory may be locked");
}

std::vector<reading> check_cpus_allowed(machine const& m) {
  auto const said = m.files.field("/proc/self/status", "Cpus_allowed_list");
  auto const allowed = said ? parse_cpu_list(*said) : std::nullopt;
  if (!allowed || allowed->empty()) throw failure("/proc/self/status names no CPUs ('Cpus_allowed_list:')");
  auto const online = read_cpu_list(m.files, "/sys/devices/system/cpu/online");
  auto const text = fmt::format("{} of {} CPUs: {}", allowed->size(), online.size(), to_text(*allowed));
  if (allowed->size() > 1) return just(status::ok, text);
  auto const to_all = to_text(online);
  return just(m, status::warn, text + "; the master and the workers share it",
              {.on_machine = online.size() > 1 ? fmt::format("taskset -c {} packetwarp ...", to_all) : "",
               .of_container = online.size() > 1 ? fmt::format("docker run --cpuset-cpus {} ...", to_all) : "",
               .in_manifest = "resources.requests.cpu and resources.limits.cpu: 2 or more, whole and equal"});
}

std::vector<reading> check_cpu_quota(machine const& m) {
  std::optional<double> least;
  std::string where;
  auto const paths = group_files(m.files, "cpu", "cpu.max", "cpu.cfs_quota_us");
  for (auto const& path : paths) {
    auto const quota = quota_at(m, path);
    if (!quota || (least && *quota >= *least)) continue;
    least = quota;
    where = path;
  }
  if (!least) return just(status::ok, paths.empty() ? "no control group has one" : "none");
  auto const text = fmt::format("{:.2f} CPUs' worth of time", *least);
  auto const lift = fmt::format("echo {} > {}", where.ends_with("cpu.max") ? "max" : "-1", where);
  // The limit of a pod is a quota, which stops no thread if the pod has as many CPUs of its own.
  if (auto const cpus = number_of_cpus(m); static_cast<double>(cpus) <= *least) {
    return just(status::ok, fmt::format("{}, and {} CPUs to use it on", text, cpus));
  }
  return just(m, status::warn, text,
              {.on_machine = lift,
               .of_container = "docker run --cpuset-cpus ... in place of --cpus",
               .in_manifest = "resources.requests.cpu and resources.limits.cpu: whole and equal, on a node whose "
                              "kubelet has cpuManagerPolicy: static"});
}

std::vector<reading> check_memory_limit(machine const& m) {
  auto const paths = group_files(m.files, "memory", "memory.max", "memory.limit_in_bytes");
  auto const limit = smallest_limit(m, paths);
  if (!limit) return just(status::ok, paths.empty() ? "no control group has one" : "none");
  auto const text = format_size(limit->bytes);
  if (limit->bytes >= m.hugepage_bytes) return just(status::ok, text);
  auto const lift = fmt::format("echo {} > {}", limit->path.ends_with("memory.max") ? "max" : "-1", limit->path);
  return just(m, status::warn, text + ", less than a packet pool without hugepages may take",
              {.on_machine = lift,
               .of_container = fmt::format("docker run --memory {}m ...", m.hugepage_bytes >> 20),
               .in_manifest = fmt::format("resources.limits.memory: {}Mi or more", m.hugepage_bytes >> 20)});
}

std::vector<reading> check_hugetlb_limit(machine const& m) {
  std::vector<std::uint64_t> sizes;
  for (auto const& pool : read_hugepages(m.files)) sizes.push_back(pool.page_bytes);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.empty()) return just(status::skip, "no hugepages here");
  std::optional<group_limit> widest;
  std::string text;
  for (auto const size : sizes) {
    auto const name = size_name(size);
    auto const limit = smallest_limit(m, group_files(m.files, "hugetlb", fmt::format("hugetlb.{}.max", name),
                                                     fmt::format("hugetlb.{}.limit_in_bytes", name)));
    if (!limit) return just(status::ok, fmt::format("none for pages of {}", name));
    text += fmt::format("{}{} in pages of {}", text.empty() ? "" : ", ", format_size(limit->bytes), name);
    if (!widest || limit->bytes > widest->bytes) widest = limit;
  }
  if (widest->bytes >= m.hugepage_bytes) return just(status::ok, text);
  auto const lift = fmt::format("echo {} > {}", m.hugepage_bytes, widest->path);
  return just(m, widest->bytes == 0 ? status::fail : status::warn, text,
              {.on_machine = lift, .of_container = lift, .in_manifest = limit_of_hugepages(m)});
}

}  // namespace packetwarp::doctor

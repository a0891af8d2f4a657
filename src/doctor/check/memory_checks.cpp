// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/units.h"
#include "doctor/check/checks.h"
#include "doctor/check/each.h"
#include "doctor/machine/cpu_list.h"
#include "doctor/machine/hugepages.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

[[nodiscard]] std::uint64_t free_bytes(std::vector<hugepage_pool> const& pools) {
  std::uint64_t free = 0;
  for (auto const& pool : pools) free += pool.free * pool.page_bytes;
  return free;
}

[[nodiscard]] std::string describe(std::vector<hugepage_pool> const& pools, std::uint64_t wanted) {
  std::string text;
  for (auto const& pool : pools) {
    if (pool.total == 0) continue;
    text += fmt::format("{}{} of {} x {} free", text.empty() ? "" : ", ", pool.free, pool.total,
                        format_size(pool.page_bytes));
  }
  return fmt::format("{}; {} should be", text.empty() ? "none" : text, format_size(wanted));
}

[[nodiscard]] reading check_node(machine const& m, std::vector<hugepage_pool> const& pools, status if_none) {
  auto const free = free_bytes(pools);
  auto const wanted = m.hugepage_bytes;
  std::string to_grow;
  if (auto const pool = growable(pools); pool && free < wanted) {
    to_grow = fmt::format("echo {} > {}/nr_hugepages", grown(*pool, wanted - free), pool->folder);
  }
  auto const is = free >= wanted ? status::ok : free == 0 ? if_none : status::warn;
  auto made = is == status::ok
                  ? found(is, describe(pools, wanted))
                  : found(m, is, describe(pools, wanted),
                          {.on_machine = to_grow,
                           .of_container = to_grow,
                           .in_manifest = limit_of_hugepages(m) + ", on a node that has as many reserved"});
  made.of = pools.front().node;
  return made;
}

}  // namespace

std::vector<reading> check_hugepages(machine const& m) {
  auto const pools = read_hugepages(m.files);
  if (pools.empty() && !m.files.has("/sys/kernel/mm")) throw failure("/sys/kernel/mm is not there: is sysfs mounted?");
  if (pools.empty()) return just(status::fail, "this kernel has no hugepages (CONFIG_HUGETLBFS)");
  std::map<std::string, std::vector<hugepage_pool>> by_node;
  for (auto const& pool : pools) by_node[pool.node].push_back(pool);
  // If another node has hugepages, ports run, but their packets cross between nodes.
  auto const if_none = free_bytes(pools) == 0 ? status::fail : status::warn;
  std::vector<reading> all;
  all.reserve(by_node.size());
  for (auto const& [node, of_node] : by_node) all.push_back(check_node(m, of_node, if_none));
  return all;
}

std::vector<reading> check_hugepage_size(machine const& m) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  std::uint64_t pages = 0;
  bool has_size = false;
  for (auto const& pool : read_hugepages(m.files)) {
    if (pool.page_bytes != gib) continue;
    has_size = true;
    pages += pool.total;
  }
  if (!has_size) return just(status::skip, "this machine has no pages of 1 GiB");
  if (pages != 0) return just(status::ok, fmt::format("{} pages of 1 GiB", pages));
  // The kernel divides them among the nodes. A machine that has no memory left for the rest does not boot.
  auto const of_node = (m.hugepage_bytes + gib - 1) / gib;
  auto const nodes = read_nodes(m.files);
  for (auto const& [node, bytes] : nodes) {
    if (of_node * gib <= bytes - bytes / 4) continue;
    return just(
        status::skip,
        fmt::format("no pages of 1 GiB are reserved: {} of them would leave less than a quarter of the {} of {}",
                    of_node, format_size(bytes), node.empty() ? "this machine" : node));
  }
  return just(status::warn, "no pages of 1 GiB are reserved",
              boot_parameters{fmt::format("default_hugepagesz=1G hugepagesz=1G hugepages={}", of_node * nodes.size())});
}

std::vector<reading> check_hugetlbfs(machine const& m) {
  auto const mounts = m.files.text("/proc/mounts");
  for (auto const line : lines_of(mounts)) {
    auto const words = words_of(line);
    if (words.size() >= 4 && words[2] == "hugetlbfs") {
      return just(status::ok, fmt::format("mounted at {}", words[1]));
    }
  }
  return just(m, status::warn, "not mounted: packetwarp adds --in-memory",
              {.on_machine = "mkdir -p /dev/hugepages && mount -t hugetlbfs none /dev/hugepages",
               .of_container = "docker run --volume /dev/hugepages:/dev/hugepages ...",
               .in_manifest = "volumes: [{name: hugepages, emptyDir: {medium: HugePages}}], and its "
                              "volumeMounts.mountPath: /dev/hugepages"});
}

std::vector<reading> check_zone_reclaim(machine const& m) {
  auto const mode = m.files.number("/proc/sys/vm/zone_reclaim_mode");
  auto const text = fmt::format("vm.zone_reclaim_mode is {}", mode);
  return mode == 0 ? just(status::ok, text) : just(status::warn, text, "sysctl -w vm.zone_reclaim_mode=0");
}

std::vector<reading> check_swappiness(machine const& m) {
  auto const swappiness = m.files.number("/proc/sys/vm/swappiness");
  auto text = fmt::format("vm.swappiness is {}", swappiness);
  if (swappiness == 0) return just(status::ok, text);
  auto const swaps = m.files.text("/proc/swaps");  // a heading, and a line per swap area
  if (lines_of(swaps).size() == 1) return just(status::ok, text + ", but there is no swap");
  return just(status::warn, text, "sysctl -w vm.swappiness=0");
}

}  // namespace packetwarp::doctor

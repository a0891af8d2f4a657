// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/hugepages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

constexpr std::string_view nodes_folder = "/sys/devices/system/node";

// Reads the pools of a folder that holds folders named like hugepages-2048kB.
void read_pools(machine_reader const& files, std::string const& node, std::string const& folder,
                std::vector<hugepage_pool>& into) {
  constexpr std::string_view prefix = "hugepages-", suffix = "kB";
  std::vector<hugepage_pool> pools;
  for (auto const& name : files.names(folder)) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    auto const digits = std::string_view{name}.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    auto const kib = number_of(digits);
    if (!kib) throw failure(fmt::format("{}/{} names no size", folder, name));
    auto const place = fmt::format("{}/{}", folder, name);
    pools.push_back({.node = node,
                     .page_bytes = *kib * 1024,
                     .folder = place,
                     .total = files.number(place + "/nr_hugepages"),
                     .free = files.number(place + "/free_hugepages")});
  }
  std::sort(pools.begin(), pools.end(), [](auto const& a, auto const& b) { return a.page_bytes < b.page_bytes; });
  into.insert(into.end(), pools.begin(), pools.end());
}

// The nodes with memory: "node0" and so on.
[[nodiscard]] std::vector<std::string> named_nodes(machine_reader const& files) {
  std::vector<std::string> nodes;
  for (auto const& name : files.names(nodes_folder)) {
    if (!name.starts_with("node") || !number_of(std::string_view{name}.substr(4))) continue;
    auto const number = name.substr(4);
    auto const about = fmt::format("{}/{}/meminfo", nodes_folder, name);
    if (!files.has(about) || files.kilobytes(about, fmt::format("Node {} MemTotal", number)) != 0) {
      nodes.push_back(name);
    }
  }
  return nodes;
}

// A number of a node's meminfo in bytes, or of the machine's.
[[nodiscard]] std::uint64_t memory_of(machine_reader const& files, std::string const& node, std::string_view key) {
  if (node.empty()) return files.kilobytes("/proc/meminfo", key);
  return files.kilobytes(fmt::format("{}/{}/meminfo", nodes_folder, node),
                         fmt::format("Node {} {}", node.substr(4), key));
}

// Why that much more must not be taken from a node; empty if it may.
[[nodiscard]] std::string why_not(machine_reader const& files, std::string const& node, std::uint64_t more) {
  auto const about = node.empty() ? std::string{"/proc/meminfo"} : fmt::format("{}/{}/meminfo", nodes_folder, node);
  auto const key = [&](std::string_view name) {
    return node.empty() ? std::string{name} : fmt::format("Node {} {}", node.substr(4), name);
  };
  // The kernel gives up its cache of files for hugepages; a kernel that does not tell its size has none to count on.
  auto const cache = [&](std::string_view name) {
    return files.field(about, key(name)) ? files.kilobytes(about, key(name)) : 0;
  };
  auto const free = files.kilobytes(about, key("MemFree")) + cache("Active(file)") + cache("Inactive(file)");
  auto const reserve = files.kilobytes(about, key("MemTotal")) / 10;
  if (more + reserve <= free) return {};
  return fmt::format("{} more would leave less than {} of {} free, a tenth of its memory", format_size(more),
                     format_size(reserve), format_size(free));
}

}  // namespace

std::vector<node_memory> read_nodes(machine_reader const& files) {
  auto names = named_nodes(files);
  if (names.empty()) names.emplace_back();
  std::vector<node_memory> nodes;
  for (auto& name : names) {
    auto const bytes = memory_of(files, name, "MemTotal");
    nodes.push_back({.node = std::move(name), .bytes = bytes});
  }
  return nodes;
}

std::vector<hugepage_pool> read_hugepages(machine_reader const& files) {
  std::vector<hugepage_pool> pools;
  for (auto const& node : named_nodes(files)) {
    read_pools(files, node, fmt::format("{}/{}/hugepages", nodes_folder, node), pools);
  }
  if (pools.empty()) read_pools(files, {}, "/sys/kernel/mm/hugepages", pools);
  return pools;
}

std::optional<hugepage_pool> growable(std::vector<hugepage_pool> const& pools_of_node) {
  constexpr std::uint64_t smallest = 2 << 20;
  for (auto const& pool : pools_of_node) {
    if (pool.page_bytes >= smallest) return pool;
  }
  return std::nullopt;
}

std::uint64_t grown(hugepage_pool const& pool, std::uint64_t missing) {
  return pool.total + (missing + pool.page_bytes - 1) / pool.page_bytes;
}

std::vector<hugepage_step> plan_hugepages(machine_reader const& files, std::uint64_t wanted) {
  std::map<std::string, std::vector<hugepage_pool>> by_node;
  for (auto const& pool : read_hugepages(files)) by_node[pool.node].push_back(pool);
  std::vector<hugepage_step> steps;
  for (auto const& [node, pools] : by_node) {
    std::uint64_t free = 0;
    for (auto const& pool : pools) free += pool.free * pool.page_bytes;
    auto const pool = growable(pools);
    if (free >= wanted || !pool) continue;
    auto const asked = grown(*pool, wanted - free);
    steps.push_back({.path = pool->folder + "/nr_hugepages",
                     .page_bytes = pool->page_bytes,
                     .before = pool->total,
                     .asked = asked,
                     .refused = why_not(files, node, (asked - pool->total) * pool->page_bytes)});
  }
  return steps;
}

hugepage_result result_of(hugepage_step const& step, std::uint64_t got) {
  hugepage_result result{.step = step, .got = got, .problem = {}};
  if (got < step.asked) {
    result.problem = fmt::format(
        "the kernel gave {} of {} pages: memory is in use or in pieces; 'echo 1 > /proc/sys/vm/compact_memory' may "
        "help, reserving them at boot does",
        got, step.asked);
  }
  return result;
}

hugepage_result apply(machine_reader const& files, hugepage_step const& step) {
  if (!step.refused.empty()) return {.step = step, .got = step.before, .problem = step.refused};
  try {
    files.write(step.path, step.asked);
    return result_of(step, files.number(step.path));
  } catch (failure const& failed) {
    return {.step = step, .got = step.before, .problem = failed.what()};
  }
}

}  // namespace packetwarp::doctor

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "doctor/machine/machine_reader.h"

namespace packetwarp::doctor {

// Hugepages of one size on one NUMA node.
struct hugepage_pool {
  std::string node{};  // "node0"; empty where the kernel does not tell nodes apart
  std::uint64_t page_bytes{};
  std::string folder{};  // where their numbers stand
  std::uint64_t total{};
  std::uint64_t free{};
};
// By node, then by size. Throws failure.
[[nodiscard]] std::vector<hugepage_pool> read_hugepages(machine_reader const& files);

// The one whose pages are reserved at run time: of 2 MiB, or the next size that the machine has. Pages of 1 GiB are
// rarely to be had once memory is in use. Empty: none of these pools.
[[nodiscard]] std::optional<hugepage_pool> growable(std::vector<hugepage_pool> const& pools_of_node);
// How many pages a pool has once `missing` more bytes are in it.
[[nodiscard]] std::uint64_t grown(hugepage_pool const& pool, std::uint64_t missing);

// A change of --fix, before it is made.
struct hugepage_step {
  std::string path{};  // of nr_hugepages
  std::uint64_t page_bytes{};
  std::uint64_t before{};
  std::uint64_t asked{};
  std::string refused{};  // why it is left alone; empty where it is not
};
// The writes after which every node has `wanted` bytes of free hugepages. A step that would leave less than a
// tenth of a node's memory free is refused. Throws failure.
[[nodiscard]] std::vector<hugepage_step> plan_hugepages(machine_reader const& files, std::uint64_t wanted);

struct hugepage_result {
  hugepage_step step{};
  std::uint64_t got{};    // as read afterwards
  std::string problem{};  // empty where the kernel gave what was asked
};
// The outcome of a step that was written, as read afterwards.
[[nodiscard]] hugepage_result result_of(hugepage_step const& step, std::uint64_t got);
// Writes, reads again. Never throws: a step that fails says so.
[[nodiscard]] hugepage_result apply(machine_reader const& files, hugepage_step const& step);

}  // namespace packetwarp::doctor

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
  std::string node{};  // "node0"; empty if the kernel does not tell nodes apart
  std::uint64_t page_bytes{};
  std::string folder{};  // the folder of its counters
  std::uint64_t total{};
  std::uint64_t free{};
};
// By node, then by size. Throws failure.
[[nodiscard]] std::vector<hugepage_pool> read_hugepages(machine_reader const& files);

// A NUMA node with memory.
struct node_memory {
  std::string node{};  // "node0"; empty if the kernel does not tell nodes apart
  std::uint64_t bytes{};
};
// At least one. Throws failure.
[[nodiscard]] std::vector<node_memory> read_nodes(machine_reader const& files);

// The pool whose pages are reserved at run time: of 2 MiB, or the next size that the machine has. Pages of 1 GiB are
// rarely available once memory is in use. Empty: none of these pools.
[[nodiscard]] std::optional<hugepage_pool> growable(std::vector<hugepage_pool> const& pools_of_node);
// The number of pages in the pool after `missing` more bytes are added.
[[nodiscard]] std::uint64_t grown(hugepage_pool const& pool, std::uint64_t missing);

// A change by --fix, before it is made.
struct hugepage_step {
  std::string path{};  // the nr_hugepages file
  std::uint64_t page_bytes{};
  std::uint64_t before{};
  std::uint64_t asked{};
  std::string refused{};  // the reason why it is not made; empty if it may be
};
// The writes after which every node has `wanted` bytes of free hugepages. A step that would leave less than a
// tenth of a node's memory free is refused; the cache of files counts as free. Throws failure.
[[nodiscard]] std::vector<hugepage_step> plan_hugepages(machine_reader const& files, std::uint64_t wanted);

struct hugepage_result {
  hugepage_step step{};
  std::uint64_t got{};    // as read after the change
  std::string problem{};  // empty if the kernel gave the requested number
};
// The outcome of a step that was written; got: the number read after it.
[[nodiscard]] hugepage_result result_of(hugepage_step const& step, std::uint64_t got);
// Writes the number and reads it again. Never throws: the result of a failed step has its problem.
[[nodiscard]] hugepage_result apply(machine_reader const& files, hugepage_step const& step);

}  // namespace packetwarp::doctor

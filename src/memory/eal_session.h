// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/process/container.h"
#include "memory/eal_log.h"

namespace packetwarp {

// The words with which the EAL will be started, and the changes to the user's words that make it start on this machine.
struct eal_arguments {
  std::vector<std::string> words;    // the program's name first
  std::vector<std::string> notices;  // one line each, for the log
  eal_log_lines lines{eal_log_lines::kept};
};

// The machine as the EAL finds it; a struct so that tests can describe any machine.
struct eal_machine {
  bool has_free_hugepages{};
  bool has_hugetlbfs_mount{};
  surroundings where{};
  std::optional<std::uint64_t> memory_limit{};  // of control groups, in bytes
};
[[nodiscard]] eal_machine read_eal_machine();

// Completes the user's EAL options for this machine: PCI devices are probed only if some are named (-a, or -b: all
// others), because a driver that finds one of the machine's own NICs may take it away; without free hugepages the EAL
// runs on ordinary pages if that is sound (virtual ports only), with less than the memory limit; without a hugetlbfs
// mount it keeps its memory to itself
// (--in-memory). Throws usage_error if the words ask for a physical device or for hugepages themselves and the machine
// has no free hugepages. Pure.
[[nodiscard]] eal_arguments complete_eal_arguments(std::vector<std::string> words, eal_machine const& machine);

// The words for a process that shares no files with others, and so may start beside one that has the same file prefix:
// --in-memory is added, unless an option is there beside which the EAL refuses it. Pure.
[[nodiscard]] std::vector<std::string> with_memory_of_its_own(std::vector<std::string> words);

// Whether other DPDK processes can attach to this one: they need memory and a configuration in files.
enum class eal_sharing : std::uint8_t { alone, with_secondaries };
// Reads the EAL's words. Pure.
[[nodiscard]] eal_sharing sharing_of(std::vector<std::string> const& words);

// The EAL, started and cleaned up: a process has one. The thread that makes it becomes the main lcore.
class eal_session {
 public:
  // Throws usage_error or failure with one line, which has the EAL's reason in it.
  explicit eal_session(eal_arguments const& arguments);
  // The same with the caller's log, whose lines the caller may need for an error of its own.
  eal_session(eal_arguments const& arguments, eal_log& log);
  eal_session(eal_session const&) = delete;
  eal_session& operator=(eal_session const&) = delete;
  ~eal_session();
  [[nodiscard]] eal_sharing sharing() const { return sharing_; }

 private:
  eal_sharing sharing_;
};

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/matrix.h"
#include "memory/eal_session.h"

namespace packetwarp::bench {

// The settings that all runs share.
struct run_setup {
  std::vector<std::string> eal;  // options
  std::vector<unsigned> cpus;    // lcores are taken from the front
  std::chrono::nanoseconds run_time{};
  std::string testpmd;  // the path; empty: none
  // packetwarp itself falls back to ordinary pages; testpmd needs options for it.
  eal_machine machine{.has_free_hugepages = true, .has_hugetlbfs_mount = true};
};

// The options of packetwarp l2fwd that define a data plane: "-w cpu -m host -b 64 -p 2 ...".
[[nodiscard]] std::string plane_words(parameters const& what);

// The command line of one run, the program's name first. Its result goes to standard output as JSON.
[[nodiscard]] std::vector<std::string> command_of(parameters const& what, run_setup const& setup);
// The command line of a run of the generator through the data plane: at this total rate, losing packets that are not
// accepted at once, or as fast as possible, waiting for room.
[[nodiscard]] std::vector<std::string> trial_command(parameters const& what, run_setup const& setup,
                                                     std::optional<double> offered_mpps);
[[nodiscard]] std::vector<std::string> command_of(peer_parameters const& what, run_setup const& setup);

// The words as a shell reads them.
[[nodiscard]] std::string joined(std::vector<std::string> const& words);

}  // namespace packetwarp::bench

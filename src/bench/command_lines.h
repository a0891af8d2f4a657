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
  std::vector<unsigned> cpus;    // lcores come from the front of them
  std::chrono::nanoseconds run_time{};
  std::string testpmd;  // its path; empty: none
  // packetwarp does without hugepages by itself; testpmd has to be told to.
  eal_machine machine{.has_free_hugepages = true, .has_hugetlbfs_mount = true};
};

// The options of packetwarp l2fwd that say what a data plane is: "-w cpu -m host -b 64 -p 2 ...".
[[nodiscard]] std::string plane_words(parameters const& what);

// The command line of one run, the program's name first. Its result goes to standard output as JSON.
[[nodiscard]] std::vector<std::string> command_of(parameters const& what, run_setup const& setup);
// For one run of the generator through the data plane at a rate in all, where what is not taken at once is lost; or as
// fast as it goes, where it waits.
[[nodiscard]] std::vector<std::string> trial_command(parameters const& what, run_setup const& setup,
                                                     std::optional<double> offered_mpps);
[[nodiscard]] std::vector<std::string> command_of(peer_parameters const& what, run_setup const& setup);

// As a shell takes it.
[[nodiscard]] std::string joined(std::vector<std::string> const& words);

}  // namespace packetwarp::bench

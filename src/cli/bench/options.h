// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/advise.h"
#include "bench/matrix.h"
#include "bench/throughput.h"
#include "cli/command.h"

namespace packetwarp::bench {

enum class task : std::uint8_t { measure, list, advise, throughput };

// A bench command line.
struct options {
  task what{task::measure};
  matrix cases;
  std::chrono::nanoseconds run_time{std::chrono::seconds{2}};
  unsigned repeats{3};
  std::vector<unsigned> cpus;           // to take lcores from
  std::vector<std::string> eal;         // options for every run, besides bench's own
  std::string json;                     // empty: none; "-": standard output
  std::string csv;                      // the same
  std::string resume;                   // a result file to go on with; empty: begin anew
  std::string testpmd{"dpdk-testpmd"};  // a name to look up, or a path; empty: not measured
  std::string commit{"unknown"};
  throughput_options throughput;  // with task::throughput
  demand wanted;                  // with task::advise
  std::string from;               // a result file to advise from; empty: measure first
};

// cpus: lcores are taken from these if the EAL options have no -l. Throws usage_error with one line.
[[nodiscard]] options parse_options(invocation const& call, std::vector<unsigned> cpus);

}  // namespace packetwarp::bench

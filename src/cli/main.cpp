// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <rte_version.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/standard_error.h"
#include "base/process/standard_files.h"
#include "base/process/stop.h"
#include "cli/command.h"
#include "gpu/cuda_runtime_version.h"

namespace {

void print_overview() {
  fmt::print("packetwarp {}: a GPU packet-processing data plane on DPDK\n\n", PACKETWARP_VERSION);
  fmt::print("usage: packetwarp <command> [EAL options] -- [options]\n\n");
  for (auto const& c : packetwarp::commands()) fmt::print("  {:<10}  {}\n", c.name, c.summary);
  fmt::print("\n'packetwarp <command> --help' explains a command.\n");
}

// The text includes the versions in use: of DPDK as it was loaded, and of the CUDA runtime that is linked in.
void print_version() {
  fmt::print("packetwarp {}\n{}\n", PACKETWARP_VERSION, rte_version());
  auto const cuda = packetwarp::cuda_runtime_version();
  fmt::print("{}\n", cuda.empty() ? "built without CUDA" : "CUDA runtime " + cuda);
}

int dispatch(packetwarp::invocation const& call) {
  if (call.command == "--version") {
    print_version();
    return packetwarp::exit_success;
  }
  if (call.command == "--help" || call.command == "-h") {
    print_overview();
    return packetwarp::exit_success;
  }
  auto const all = packetwarp::commands();
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& c) { return c.name == call.command; });
  if (found == all.end()) {
    throw packetwarp::usage_error(
        call.command.empty() ? "no command given; 'packetwarp --help' lists them"
                             : fmt::format("{}: no such command; 'packetwarp --help' lists them", call.command));
  }
  if (call.wants_help) {
    fmt::print("{}", found->page);
    return packetwarp::exit_success;
  }
  return found->run(call);
}

// Throws failure for a success whose text standard output did not take: the buffer's rest is written here.
int with_whole_output(int status) {
  bool const was_lost = std::ferror(stdout) != 0;
  errno = 0;
  bool const is_lost = std::fflush(stdout) != 0 || was_lost;
  if (!is_lost || status != packetwarp::exit_success) return status;
  throw packetwarp::failure(fmt::format("standard output: {}; the result is lost there",
                                        errno != 0 ? std::strerror(errno) : "it has taken only a part"));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    packetwarp::hold_standard_files();
    packetwarp::install_stop_signals();
    packetwarp::survive_limits_of_files();
    return with_whole_output(dispatch(packetwarp::split_command_line({argv, static_cast<std::size_t>(argc)})));
  } catch (packetwarp::usage_error const& wrong) {
    packetwarp::log().error("{}", wrong.what());
    return packetwarp::exit_usage;
  } catch (std::bad_alloc const&) {
    packetwarp::log().error(
        "memory: the system gives this process no more ('free' and 'ulimit -v' say how much there is): give the "
        "command "
        "less at a time, or end other processes");
    return packetwarp::exit_failure;
  } catch (std::exception const& failed) {
    packetwarp::log().error("{}", failed.what());
    return packetwarp::exit_failure;
  }
}

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp {

// The parts of a command line: packetwarp <command> [EAL options] -- [options]
struct invocation {
  std::string program;
  std::string command;
  std::vector<std::string> eal;      // before "--"
  std::vector<std::string> options;  // after it
  bool wants_help{};
};
[[nodiscard]] invocation split_command_line(std::span<char const* const> arguments);

// The same call with all words as options, for commands that start no EAL.
[[nodiscard]] invocation with_words_as_options(invocation call);

// A command: its name, a line on its purpose, its help page, and the function that runs it and returns the exit status.
struct command {
  std::string_view name;
  std::string_view summary;
  std::string_view page;
  int (*run)(invocation const&);
};
[[nodiscard]] std::span<command const> commands();

// Parses the options after "--" with an app whose options are declared. Throws usage_error with one line, also for
// words before "--" that are no options of the EAL's.
void parse_options(CLI::App& app, invocation const& call);

int run_l2fwd(invocation const& call);
int run_network(invocation const& call);
int run_capture(invocation const& call);
int run_top(invocation const& call);
int run_show(invocation const& call);
int run_reload(invocation const& call);
int run_drain(invocation const& call);
int run_workers(invocation const& call);
int run_generate(invocation const& call);
int run_plan(invocation const& call);
int run_bench(invocation const& call);
int run_doctor(invocation const& call);
int run_model(invocation const& call);
int run_features(invocation const& call);
int run_rdma_bw(invocation const& call);
int run_rdma_lat(invocation const& call);
int run_inspect(invocation const& call);

}  // namespace packetwarp

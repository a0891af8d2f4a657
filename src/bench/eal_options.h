// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace packetwarp::bench {

// CPUs that this process may run on.
[[nodiscard]] std::vector<unsigned> allowed_cpus();

// "0-3,8"; the function below is its inverse: "0,1,2,3,8".
[[nodiscard]] std::vector<unsigned> parse_cpus(std::string const& text);
[[nodiscard]] std::string to_text(std::span<unsigned const> cpus);

// CPUs to take lcores from, and the options that every run gets.
struct eal_choice {
  std::vector<unsigned> cpus;
  std::vector<std::string> words;
};

// Takes -l out of the user's options: a run gets as many of those CPUs as it can use. Adds --in-memory and --no-pci
// unless a given option contradicts them: runs must meet neither each other's files nor a device. Throws usage_error
// for options that only bench may set.
[[nodiscard]] eal_choice take_eal_options(std::vector<std::string> const& given, std::vector<unsigned> allowed);

}  // namespace packetwarp::bench

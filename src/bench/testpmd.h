// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench/run_case.h"

namespace packetwarp::bench {

// The path of a program: of this file where the name has a slash, else the first on PATH. Empty if none exists.
[[nodiscard]] std::string find_program(std::string const& name);

// Runs testpmd once and has it show its statistics at both ends of the stretch.
[[nodiscard]] attempt run_once(peer_parameters const& what, run_setup const& setup);

// The line with which it says that it forwards: is it what was asked for, and not what it fell back to? Pure.
[[nodiscard]] bool is_start_of(std::string_view line, peer_parameters const& what);
// Sum over the ports of the rates sent in the second of two shows. Nothing where they are not all there. Pure.
[[nodiscard]] std::optional<double> sent_mpps(std::string_view output, unsigned ports);

}  // namespace packetwarp::bench

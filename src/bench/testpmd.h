// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench/run_case.h"

namespace packetwarp::bench {

// The path of a program: the file itself if the name has a slash, else the first on PATH. Empty if none exists.
[[nodiscard]] std::string find_program(std::string const& name);

// Runs testpmd once and makes it show its statistics at the beginning and at the end of the measured stretch.
[[nodiscard]] attempt run_once(peer_parameters const& what, run_setup const& setup);

// Whether the line with which testpmd starts to forward names the requested mode, and not a fallback. Pure.
[[nodiscard]] bool is_start_of(std::string_view line, peer_parameters const& what);
// The sum of the ports' send rates in the second of two shows of statistics. Nothing if not all of them are present.
// Pure.
[[nodiscard]] std::optional<double> sent_mpps(std::string_view output, unsigned ports);

}  // namespace packetwarp::bench

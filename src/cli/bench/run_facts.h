// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

#include "cli/command.h"

// The facts about a run that its results include.
namespace packetwarp::bench {

// This machine, as the runs' reports describe it, as far as it is known without an EAL.
[[nodiscard]] nlohmann::ordered_json own_host();
// "2026-01-31T12:00:00+00:00".
[[nodiscard]] std::string time_now();
// The command line in a shell's notation.
[[nodiscard]] std::string command_line_of(invocation const& call);
// Throws failure if a result could not be written in the end.
void require_writable(std::string const& path, std::string_view option);

}  // namespace packetwarp::bench

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/command.h"
#include "cli/eal_start.h"
#include "cli/run/file/network_file.h"
#include "file/yaml_place.h"

namespace packetwarp {

// A call whose EAL options are from the command line, from the file's `eal`, and from keys that ask the EAL for more:
// `lcores`, and ports that are devices.
struct network_call {
  invocation call;
  std::vector<std::optional<yaml_place>> places;  // of each word of call.eal; nothing: it is on the command line
  std::optional<yaml_place> section{};            // `eal`, if its words are used
};

// Takes the file's `eal` and `lcores` if the command line has no options of the EAL, and adds devices of the file's
// ports that no option names. Throws usage_error with FILE:LINE for a word in the file that is not the EAL's, and for
// options that contradict the file's other keys; failure for a port's device that is not there.
[[nodiscard]] network_call with_eal_of(network_file const& file, invocation call);

// See cli/eal_start.h for options of the command line; errors in a file's options have its line.
[[nodiscard]] std::unique_ptr<eal_session> start_eal(network_call const& network);
[[nodiscard]] planning_eal start_eal_for_plan(network_call network);

}  // namespace packetwarp

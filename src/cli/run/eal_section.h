// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/eal_start.h"
#include "cli/run/file/network_file.h"
#include "file/yaml_place.h"

namespace packetwarp {

// A call whose EAL options are from the command line, or from the file's `eal`.
struct network_call {
  invocation call;
  std::optional<yaml_place> eal;  // the options' place in the file; nothing: they are on the command line
};

// Takes the file's options if the command line has none. Throws usage_error with FILE:LINE for a word in the file that
// is not the EAL's.
[[nodiscard]] network_call with_eal_of(network_file const& file, invocation call);

// See cli/eal_start.h for options of the command line; errors in a file's options have its line.
[[nodiscard]] std::unique_ptr<eal_session> start_eal(network_call const& network);
[[nodiscard]] planning_eal start_eal_for_plan(network_call network);

}  // namespace packetwarp

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

// A call whose EAL options are those of the command line, or of a file that has some.
struct network_call {
  invocation call;
  std::optional<yaml_place> eal;  // where the options stand in the file; nothing: on the command line
};

// The file's options where the command line has none. Throws usage_error with FILE:LINE for a word in the file that is
// not the EAL's.
[[nodiscard]] network_call with_eal_of(network_file const& file, invocation call);

// As for options of the command line (cli/eal_start.h); what is wrong in a file is told by its line.
[[nodiscard]] std::unique_ptr<eal_session> start_eal(network_call const& network);
[[nodiscard]] planning_eal start_eal_for_plan(network_call network);

}  // namespace packetwarp

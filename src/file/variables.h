// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace packetwarp {

// The value of an environment variable of this process; nothing if it is not set.
[[nodiscard]] std::optional<std::string> environment_variable(std::string const& name);

// The values of the variables of a file.
struct variable_source {
  std::function<std::optional<std::string>(std::string const& name)> environment;
  std::string pod;  // the pod's name, "nat-3": its last number is the ordinal
};
// This process's environment; the pod's name is POD_NAME's value, or else the host's name.
[[nodiscard]] variable_source variables_of_process();

// The text with its variables replaced:
//   ${NAME}                         the environment variable, which must be set
//   ${NAME:-TEXT}                   TEXT, which has no variables, if the variable is not set, or empty
//   ${ordinal}                      the number at the end of the pod's name
//   ${ordinal+N}                    N more
//   ${block /26 of 203.0.113.0/24}  the ordinal's block of that length out of a prefix: 203.0.113.64/26 for ordinal 1
//   $${                             ${ itself
// All else stays as it is, also a `$` without `{`. Throws usage_error. Pure.
[[nodiscard]] std::string expand_variables(std::string_view text, variable_source const& from);

}  // namespace packetwarp

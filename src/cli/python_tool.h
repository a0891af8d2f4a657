// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace packetwarp {

// A script of the project's python/ folder, and its interpreter.
struct python_tool {
  std::string interpreter;  // a path, or "python3" to look up
  std::string script;
};

// Searches from this program's own folder upwards for python/NAME, as in the source tree, and
// share/packetwarp/python/NAME, as installed. If an environment (.venv) lies beside it, its interpreter is used. Throws
// usage_error.
[[nodiscard]] python_tool find_python_tool(std::string_view name);

}  // namespace packetwarp

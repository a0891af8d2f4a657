// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace packetwarp {

// A script of the project's python/ folder, and who runs it.
struct python_tool {
  std::string interpreter;  // a path, or "python3" to look up
  std::string script;
};

// Looks from this program's own folder upwards for python/NAME, as in the source tree, and
// share/packetwarp/python/NAME, as where it is installed. The environment's interpreter (.venv) beside it is taken
// where there is one. Throws failure.
[[nodiscard]] python_tool find_python_tool(std::string_view name);

}  // namespace packetwarp

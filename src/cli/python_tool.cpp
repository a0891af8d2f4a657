// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/python_tool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"

namespace packetwarp {
namespace {

namespace fs = std::filesystem;

std::string interpreter_beside(fs::path const& root) {
  auto const own = root / ".venv" / "bin" / "python3";
  return ::access(own.c_str(), X_OK) == 0 ? own.string() : "python3";
}

}  // namespace

python_tool find_python_tool(std::string_view name) {
  std::error_code unreadable;
  auto folder = fs::read_symlink("/proc/self/exe", unreadable).parent_path();
  while (!folder.empty()) {
    for (auto const& tools : {folder / "python", folder / "share" / "packetwarp" / "python"}) {
      auto const script = tools / name;
      if (fs::is_regular_file(script, unreadable)) return {interpreter_beside(folder), script.string()};
    }
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  throw usage_error(
      fmt::format("python/{} is not there: it comes with packetwarp's sources; put their python folder beside "
                  "the program, or above it",
                  name));
}

}  // namespace packetwarp

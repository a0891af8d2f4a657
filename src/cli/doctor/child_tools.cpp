// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/child_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "bench/child_process.h"
#include "doctor/machine/text.h"

namespace packetwarp {
namespace {

// The program's path, or an empty text.
[[nodiscard]] std::string find_program(std::string const& name) {
  auto const* given = std::getenv("PATH");
  // Users' PATH often lacks the folders of administrators' programs; users may run these to query them.
  auto const folders = fmt::format("{}:/usr/local/sbin:/usr/sbin:/sbin", given == nullptr ? "" : given);
  for (auto const folder : doctor::split(folders, ":")) {
    auto path = fmt::format("{}/{}", folder, name);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

// The last line of a program's output.
[[nodiscard]] std::string last_line(std::string_view said) {
  auto const lines = doctor::lines_of(doctor::trimmed(said));
  return lines.empty() ? std::string{} : fmt::format(": {}", doctor::trimmed(lines.back()));
}

}  // namespace

bool child_tools::is_installed(std::string const& program) const { return !find_program(program).empty(); }

std::string child_tools::output_of(std::vector<std::string> const& words) const {
  using namespace bench;
  constexpr auto longest = std::chrono::seconds{30};
  auto const path = find_program(words.front());
  if (path.empty()) throw failure(fmt::format("{} is not installed", words.front()));
  std::string line;
  for (auto const& word : words) line += line.empty() ? word : " " + word;
  child_process child{path, words};
  switch (child.wait_for_end(child_process::clock::now() + longest)) {
    case child_process::pause::ended:
    case child_process::pause::satisfied:
      break;
    case child_process::pause::late:
      throw failure(fmt::format("'{}' did not end within {} s", line, longest.count()));
    case child_process::pause::stopped:
      throw failure(fmt::format("'{}' was interrupted", line));
  }
  if (auto const end = child.collect(); !end.words.empty()) {
    auto const& said = child.errors().empty() ? child.output() : child.errors();
    throw failure(fmt::format("'{}': {}{}", line, end.words, last_line(said)));
  }
  return child.output();
}

}  // namespace packetwarp

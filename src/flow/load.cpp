// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"
#include "base/process/pipe_wait.h"
#include "flow/parser.h"

namespace packetwarp::flow {

std::vector<numbered_command> parse_text(std::string_view text, std::string_view file) {
  std::vector<numbered_command> made;
  std::string first_error;
  std::size_t wrong_lines = 0;
  for (std::size_t line = 1; !text.empty(); ++line) {
    auto const length = text.find('\n');
    try {
      if (auto read = parse_line(text.substr(0, length), {file, line})) made.push_back({std::move(*read), line});
    } catch (usage_error const& error) {
      if (wrong_lines++ == 0) first_error = error.what();
    }
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
  }
  if (wrong_lines == 1) throw usage_error(first_error);
  if (wrong_lines > 1) throw usage_error(fmt::format("{} ({} more wrong lines)", first_error, wrong_lines - 1));
  return made;
}

std::vector<numbered_command> load_file(std::filesystem::path const& path) {
  pipe_wait const beside{path};
  std::ifstream file{path, std::ios::binary};
  bool is_read = file.is_open();
  std::string text;
  try {
    text.assign(std::istreambuf_iterator<char>{file}, {});
  } catch (std::ios_base::failure const&) {  // a folder can be opened but not read
    is_read = false;
  }
  if (!is_read)
    throw usage_error(fmt::format("{}: cannot be read; give a file of testpmd flow commands", path.string()));
  return parse_text(text, path.string());
}

}  // namespace packetwarp::flow

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "base/process/text_file.h"
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

std::string text_of_file(std::filesystem::path const& path) {
  auto text = read_text_file(path);
  if (!text) throw usage_error(fmt::format("{}: cannot be read; give a file of testpmd flow commands", path.string()));
  return std::move(*text);
}

std::vector<numbered_command> load_file(std::filesystem::path const& path) {
  return parse_text(text_of_file(path), path.string());
}

}  // namespace packetwarp::flow

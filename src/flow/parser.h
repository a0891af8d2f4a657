// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/command.h"
#include "flow/lexer.h"

namespace packetwarp::flow {

// Reads testpmd's `flow` commands: the same words, all of them unabbreviated, with the same meaning. tests/flow
// compares with the real dpdk-testpmd. Errors are usage_errors of one line: the place, the word, and the expected
// words.

// A command. `line` may end in a comment.
[[nodiscard]] command parse_command(std::string_view line, source where = {});
// The same, or nothing for a line that is blank or a comment.
[[nodiscard]] std::optional<command> parse_line(std::string_view line, source where = {});

// A command and the line of its file, from 1.
struct numbered_command {
  command what;
  std::size_t line{};
};

// Parses a whole text of commands, one per line, as for testpmd's `load`: all of its commands or an error. The error is
// about the first wrong line, and counts further wrong lines.
[[nodiscard]] std::vector<numbered_command> parse_text(std::string_view text, std::string_view file);
// The text of a file, for parse_text(). Throws usage_error if the file cannot be read, or is too large.
[[nodiscard]] std::string text_of_file(std::filesystem::path const& path);
// Both in one.
[[nodiscard]] std::vector<numbered_command> load_file(std::filesystem::path const& path);

}  // namespace packetwarp::flow

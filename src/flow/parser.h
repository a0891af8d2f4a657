// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "flow/command.h"
#include "flow/lexer.h"

namespace packetwarp::flow {

// Reads testpmd's `flow` commands: the same words, all in full, with the same meaning. tests/flow compares with the
// real dpdk-testpmd. Errors are usage_errors of one line: the place, the word, and the expected words.

// A command. `line` may end in a comment.
[[nodiscard]] command parse_command(std::string_view line, source where = {});
// The same, or nothing for a line that is blank or a comment.
[[nodiscard]] std::optional<command> parse_line(std::string_view line, source where = {});

// A command and the line of its file, from 1.
struct numbered_command {
  command what;
  std::size_t line{};
};

// A whole text of such lines, as for testpmd's `load`: all of its commands or an error. The error is the first wrong
// line's, and counts further wrong lines.
[[nodiscard]] std::vector<numbered_command> parse_text(std::string_view text, std::string_view file);
// The same from a file. Throws usage_error when it cannot be read.
[[nodiscard]] std::vector<numbered_command> load_file(std::filesystem::path const& path);

}  // namespace packetwarp::flow

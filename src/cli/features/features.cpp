// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/process/stop.h"
#include "cli/command.h"
#include "cli/features/capture_rows.h"
#include "cli/features/options.h"
#include "cli/result_file.h"
#include "feature/row.h"
#include "file/distinct_files.h"
#include "model/integer_network.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string head_line(features_options const& options) {
  return fmt::format("{}{}\n", fmt::join(feature::names, ","), options.label.empty() ? "" : ",label");
}

void append_line(std::string& text, std::int8_t const* row, std::string const& label) {
  std::array<char, 5 * feature::features> numbers;  // "-128," at most
  char* at = numbers.data();
  for (std::size_t i = 0; i < feature::features; ++i) {
    at = std::to_chars(at, numbers.data() + numbers.size(), int{row[i]}).ptr;
    *at++ = ',';
  }
  text.append(numbers.data(), at);
  if (label.empty()) {
    text.back() = '\n';
  } else {
    text.append(label).append("\n");
  }
}

}  // namespace

int run_features(invocation const& call) {
  constexpr std::size_t at_once = 1024;
  auto const options = parse_features_options(call);
  capture_rows from{options.pcap};
  require_distinct_files(std::array{options.pcap}, std::array{options.out});
  result_file out{options.out, "--out"};
  out.append(head_line(options));
  std::vector<std::int8_t> rows;
  std::string text;
  while (from.read(at_once, rows)) {
    if (stop_requested() != stop_request::none) throw failure("interrupted before every packet had its row");
    text.clear();
    for (std::size_t at = 0; at < rows.size(); at += model::row_bytes) append_line(text, &rows[at], options.label);
    out.append(text);
    rows.clear();
  }
  out.complete();
  if (!from.problem().empty())
    throw failure(fmt::format("{}; the packets before that have their rows", from.problem()));
  return exit_success;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "request/request.h"

using namespace packetwarp;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

// Any line is a request that reads back as it is, or one printable line about the error; so is any answer.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const line{reinterpret_cast<char const*>(data), size};
  try {
    auto const read = parse_request(line);
    auto const text = to_line(read);
    require(text.find('\n') == std::string::npos);
    auto const again = parse_request(text);
    require(again.command == read.command && again.arguments == read.arguments);
  } catch (usage_error const& wrong) {
    for (char const c : std::string_view{wrong.what()}) require(c >= ' ' && c <= '~');
  }
  try {
    auto const text = to_line(parse_answer(line));
    require(text.find('\n') == std::string::npos);
    require(to_line(parse_answer(text)) == text);
  } catch (failure const&) {
  }
  auto const refused = error_line(exit_usage, line);
  require(refused.find('\n') == std::string::npos && parse_answer(refused).status == exit_usage);
  return 0;
}

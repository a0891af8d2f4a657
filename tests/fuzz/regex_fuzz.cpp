// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The oracle is shared with tests/regex: PCRE2's answers where both compile.
#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz/input.h"
#include "regex/finds.h"
#include "regex/oracle.h"

using namespace packetwarp;
using namespace packetwarp::regex;

namespace {

void check_answers(std::string_view pattern, std::string const& modifiers, std::string_view text) {
  auto const made = compile(pattern, modifiers);
  fuzz::require(made || !name_of(made.why).empty());
  oracle const pcre{pattern, modifiers};
  if (!made || !pcre.compiles()) return;
  fuzz::require(made.ref().header().bytes == made.words.size() * 8);
  auto const wanted = pcre.matches(text);
  if (!wanted) return;
  fuzz::require(finds(made, text) == *wanted);
  if (auto const bits = compile_bits(pattern, modifiers)) fuzz::require(finds(bits, text) == *wanted);
}

}  // namespace

// A byte whose bits say which modifiers are given, an expression, a byte 0, and a text.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr std::size_t most = 1024;
  if (size == 0 || size > most) return 0;
  std::string modifiers;
  for (unsigned i = 0; i < 7; ++i) {
    if ((data[0] >> i & 1) != 0) modifiers.push_back("ismxAEG"[i]);
  }
  std::string_view const all{reinterpret_cast<char const*>(data) + 1, size - 1};
  auto const end = std::min(all.find('\0'), all.size());
  check_answers(all.substr(0, end), modifiers, all.substr(std::min(end + 1, all.size())));
  return 0;
}

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "regex/syntax/byte_set.h"
#include "regex/syntax/pattern_reader.h"

namespace packetwarp::regex {

enum class escape_kind : std::uint8_t {
  byte,   // a literal, by its value or its letter
  set,    // \d and the like
  other,  // an assertion or nothing: `letter` says which
};

struct escape {
  escape_kind kind{};
  unsigned byte{};
  byte_set set{};
  char letter{};  // of the last two kinds
};

// The place of an escape decides what \1 and \b mean.
enum class escape_place : std::uint8_t { outside, in_class };

// Reads what follows a backslash. groups: capturing ones that have begun, because a greater number than theirs is
// octal. Throws refused.
[[nodiscard]] escape read_escape(pattern_reader& from, escape_place place, std::uint32_t groups);

}  // namespace packetwarp::regex

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "regex/syntax/byte_set.h"
#include "regex/syntax/syntax_tree.h"

namespace packetwarp::regex {

// A place in a text by the byte after it, as far as an assertion can tell: a set of these.
namespace place_kind {
inline constexpr std::uint8_t word = 1;
inline constexpr std::uint8_t other = 2;
inline constexpr std::uint8_t newline = 4;       // one that is not the text's last byte
inline constexpr std::uint8_t last_newline = 8;  // one that is
inline constexpr std::uint8_t end = 16;
}  // namespace place_kind

inline constexpr std::uint8_t every_byte = place_kind::word | place_kind::other | place_kind::newline;
inline constexpr std::uint8_t every_place = every_byte | place_kind::last_newline | place_kind::end;

// The byte before a place in a text.
enum class byte_before : std::uint8_t { none, word, other, newline, last_newline };

// The kinds of places at which an assertion holds after such a byte.
[[nodiscard]] std::uint8_t places_of(assertion what, byte_before before);

// Whether it makes a difference to an assertion which byte lies before it, other than that there is one.
[[nodiscard]] bool asks_before(assertion what);

// The kinds of a set's bytes: word, other, newline.
[[nodiscard]] std::uint8_t kinds_of(byte_set const& set);
[[nodiscard]] byte_set bytes_of(std::uint8_t kinds);

}  // namespace packetwarp::regex

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace packetwarp {

// A text of which at most about `most` bytes are shown: the beginning and the end of a longer one, which say where and
// what to do, and the number of bytes that are left out between them. No character of UTF-8 is cut.
[[nodiscard]] std::string shortened(std::string text, std::size_t most);

// The text, with '?' in place of each byte that is no part of a character of UTF-8.
[[nodiscard]] std::string as_utf8(std::string_view text);

// Whether each character of a text is seen by itself: the text is UTF-8, without control characters,
// spaces, and the characters that join letters, hide, or change the direction of others (U+200B, U+202E).
[[nodiscard]] bool is_plainly_visible(std::string_view text);

}  // namespace packetwarp

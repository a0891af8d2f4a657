// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "inspect/language/rule.h"

namespace packetwarp::inspect {

// The messages of HTTP that have a buffer: bits.
inline constexpr std::uint8_t in_requests = 1;
inline constexpr std::uint8_t in_responses = 2;

// A buffer's names in rules.
struct buffer_words {
  rule_buffer buffer;
  std::string_view name;      // of the keyword before its contents
  std::string_view sticky;    // an older name of the same kind; empty: none
  std::string_view modifier;  // an older name, of a keyword after each content
  std::uint8_t messages;      // 0: not of HTTP
};

[[nodiscard]] rule_buffer buffer_of(payload_check const& check);
[[nodiscard]] std::span<buffer_words const> known_buffers();
[[nodiscard]] buffer_words const* find_buffer(rule_buffer buffer);
// By `name` or `sticky`; null: none is called so.
[[nodiscard]] buffer_words const* find_sticky_buffer(std::string_view word);
[[nodiscard]] buffer_words const* find_modifier(std::string_view word);
// By a modifier of pcre, such as U; unread: the letter is none of a buffer.
[[nodiscard]] rule_buffer buffer_of_letter(char letter);

// The messages of HTTP that a rule may match: bits, of its buffers and its direction. All for a rule without buffers.
[[nodiscard]] std::uint8_t messages_of(rule const& one);
[[nodiscard]] bool has_http_buffers(rule const& one);

}  // namespace packetwarp::inspect

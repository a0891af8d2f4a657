// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flow/grammar.h"
#include "flow/rule.h"

namespace packetwarp::flow {

// The values of fields as testpmd reads them, and as people write them.

// A number in decimal, or in C's octal and hexadecimal notation; as in testpmd a sign may precede it, and a negative
// number is counted back from 2^64, which few fields hold.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view word);

// Reads 0 1 false true no yes N Y off on.
[[nodiscard]] std::optional<bool> parse_flag(std::string_view word);

// The number of leading ones of the field's mask, as a word.
[[nodiscard]] std::optional<field_value> parse_prefix(field const& of, std::string_view word);
[[nodiscard]] std::optional<field_value> parse_value(field const& of, std::string_view word);

// A description of the accepted values, for errors: "a number from 0 to 255".
[[nodiscard]] std::string describe_value(field const& of, relation how);
// The canonical spelling: decimal numbers, lower-case addresses.
[[nodiscard]] std::string to_text(field const& of, setting const& set);

[[nodiscard]] std::uint64_t to_number(field const& of, field_value const& value);
[[nodiscard]] field_value from_number(field const& of, std::uint64_t number);

}  // namespace packetwarp::flow

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule.h"

namespace packetwarp::inspect::detail {

[[nodiscard]] HOST_DEVICE constexpr bool has_number(std::uint8_t relation, std::uint64_t value, std::uint32_t upper,
                                                    std::uint32_t number) noexcept {
  switch (static_cast<number_relation>(relation)) {
    case number_relation::equal:
      return number == value;
    case number_relation::unequal:
      return number != value;
    case number_relation::less:
      return number < value;
    case number_relation::greater:
      return number > value;
    case number_relation::at_most:
      return number <= value;
    case number_relation::at_least:
      return number >= value;
    case number_relation::between:
      return number > value && number < upper;
  }
  return false;
}

// The number that byte_test and byte_jump read.
struct found_number {
  std::uint64_t value;
  std::uint32_t end;  // the offset after it
  bool is_there;
};

[[nodiscard]] HOST_DEVICE constexpr int digit_of(unsigned char c, unsigned base) noexcept {
  int digit = 99;
  if (c >= '0' && c <= '9') digit = c - '0';
  if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
  return digit < static_cast<int>(base) ? digit : -1;
}

// As C's strtoull reads it: white space, a sign, 0x before hexadecimal digits, then digits; without a given base 0x and
// 0 at the begin choose it. A number of more than 64 bits is none.
[[nodiscard]] HOST_DEVICE inline found_number number_of_text(std::byte const* text, std::uint32_t size, unsigned base) {
  std::uint32_t at = 0;
  auto const here = [&](std::uint32_t offset) {
    return offset < size ? static_cast<unsigned char>(text[offset]) : static_cast<unsigned char>(0);
  };
  while (at < size && (here(at) == ' ' || (here(at) >= 9 && here(at) <= 13))) ++at;
  bool const is_negative = here(at) == '-';
  if (is_negative || here(at) == '+') ++at;
  bool const has_zero = here(at) == '0';
  bool const has_hex = has_zero && (here(at + 1) == 'x' || here(at + 1) == 'X') && digit_of(here(at + 2), 16) >= 0;
  if (base == any_base) base = has_hex ? 16 : has_zero ? 8 : 10;
  if (base == 16 && has_hex) at += 2;
  constexpr auto most = ~std::uint64_t{0};
  auto const most_before = most / base;
  std::uint64_t value = 0;
  bool is_number = false;
  for (; at < size; ++at) {
    auto const digit = digit_of(here(at), base);
    if (digit < 0) break;
    auto const added = static_cast<std::uint64_t>(digit);
    if (value > most_before || value * base > most - added) return {};
    is_number = true;
    value = value * base + added;
  }
  return {is_negative ? 0 - value : value, at, is_number};
}

[[nodiscard]] HOST_DEVICE inline std::uint64_t number_of_bytes(std::byte const* bytes, std::uint32_t count,
                                                               bool is_little_endian) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    value = value << 8 | static_cast<std::uint64_t>(bytes[is_little_endian ? count - 1 - i : i]);
  }
  return value;
}

// cursor: the end of the match before, where relative offsets count from.
[[nodiscard]] HOST_DEVICE inline found_number read_number(compiled_check const& check, std::byte const* payload,
                                                          std::uint32_t size, std::uint32_t cursor) {
  constexpr std::uint32_t longest_text = 23;
  auto const begin = std::int64_t{check.offset} + ((check.flags & check_flag::relative) != 0 ? cursor : 0);
  if (begin < 0 || begin >= std::int64_t{size}) return {};
  auto const at = static_cast<std::uint32_t>(begin);
  auto const available = size - at;
  if (check.bytes > available) return {};
  found_number found{};
  if (check.base != 0) {
    auto const most = available < longest_text ? available : longest_text;
    found = number_of_text(payload + at, check.bytes == 0 ? most : check.bytes, check.base);
    found.end += at;
  } else {
    found = {number_of_bytes(payload + at, check.bytes, (check.flags & check_flag::little_endian) != 0),
             at + check.bytes, true};
  }
  if ((check.flags & check_flag::masked) != 0 && check.mask != 0) {
    found.value &= check.mask;
    for (auto mask = check.mask; (mask & 1) == 0; mask >>= 1) found.value >>= 1;
  }
  return found;
}

[[nodiscard]] HOST_DEVICE inline bool passes_byte_test(compiled_check const& check, std::byte const* payload,
                                                       std::uint32_t size, std::uint32_t cursor) {
  auto const found = read_number(check, payload, size, cursor);
  if (!found.is_there) return false;
  auto const value = found.value;
  bool is_true = false;
  switch (static_cast<byte_operator>(check.how)) {
    case byte_operator::less:
      is_true = value < check.value;
      break;
    case byte_operator::greater:
      is_true = value > check.value;
      break;
    case byte_operator::equal:
      is_true = value == check.value;
      break;
    case byte_operator::bit_and:
      is_true = (value & check.value) != 0;
      break;
    case byte_operator::bit_xor:
      is_true = (value ^ check.value) != 0;
      break;
    case byte_operator::at_most:
      is_true = value <= check.value;
      break;
    case byte_operator::at_least:
      is_true = value >= check.value;
      break;
  }
  return is_true != ((check.flags & check_flag::negated) != 0);
}

// The cursor after the jump, at the earliest the payload's begin; false: there is no number, or it leads beyond the
// end. A number of text may be negative.
[[nodiscard]] HOST_DEVICE inline bool jump(compiled_check const& check, std::byte const* payload, std::uint32_t size,
                                           std::uint32_t& cursor) {
  auto const found = read_number(check, payload, size, cursor);
  if (!found.is_there) return false;
  auto moved = found.value * check.multiplier;
  if ((check.flags & check_flag::aligned) != 0) moved = (moved + 3) / 4 * 4;
  auto distance = static_cast<std::int64_t>(moved + static_cast<std::uint64_t>(std::int64_t{check.post_offset}));
  // Larger numbers lead out of every payload.
  constexpr std::int64_t farthest = 0xffff'ffff;
  if (distance > farthest || distance < -farthest) return false;
  switch (static_cast<jump_origin>(check.how)) {
    case jump_origin::after_number:
      distance += found.end;
      break;
    case jump_origin::beginning:
      break;
    case jump_origin::end:
      distance += size;
      break;
  }
  if (distance > std::int64_t{size}) return false;  // the end itself is a place, for isdataat:!1,relative
  if (distance < 0) distance = 0;                   // as Suricata 7 does it
  cursor = static_cast<std::uint32_t>(distance);
  return true;
}

}  // namespace packetwarp::inspect::detail

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace packetwarp::regex {

// A set of the 256 values of a byte.
class byte_set {
 public:
  [[nodiscard]] bool has(unsigned byte) const { return (words_[byte / 64] >> byte % 64 & 1) != 0; }
  [[nodiscard]] bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  void add(unsigned byte) { words_[byte / 64] |= std::uint64_t{1} << byte % 64; }
  void add_range(unsigned first, unsigned last);
  // The letters in the other case, of ASCII only, as in PCRE2's tables of the C locale.
  void add_other_cases();
  [[nodiscard]] byte_set operator~() const;
  [[nodiscard]] byte_set operator|(byte_set const& other) const;
  [[nodiscard]] byte_set operator&(byte_set const& other) const;
  bool operator==(byte_set const&) const = default;
  [[nodiscard]] std::array<std::uint64_t, 4> const& words() const { return words_; }

 private:
  std::array<std::uint64_t, 4> words_{};
};

[[nodiscard]] byte_set range_set(unsigned first, unsigned last);
[[nodiscard]] byte_set one_byte(unsigned byte);
[[nodiscard]] byte_set word_set();      // \w
[[nodiscard]] byte_set blank_set();     // \h
[[nodiscard]] byte_set vertical_set();  // \v
[[nodiscard]] byte_set space_set();     // \s
// The set that \d, \D, \w, \W, \s, \S, \h, \H, \v or \V names by its letter.
[[nodiscard]] std::optional<byte_set> escaped_set(char letter);
// The set of [:name:].
[[nodiscard]] std::optional<byte_set> named_set(std::string_view name);

}  // namespace packetwarp::regex

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp {

// A piece of the EAL's command line, as getopt_long(3) reads it with the options of DPDK 22.11.
struct eal_word {
  enum class kind : std::uint8_t {
    option,   // an option of the EAL
    unknown,  // an option that the EAL of 22.11 does not have
    stray     // neither an option nor an option's value: the EAL ignores it silently
  };
  kind is{};
  std::string name{};                  // "-l", "--vdev": the full name; a stray word itself
  std::optional<std::string> value{};  // nothing: the option takes or has no value, or is unknown
  std::size_t at{};                    // the index of the word in which it begins, from 0
};

// Splits the words. The result ends at the first unknown option: the number of words that belong to it is unknown.
// Pure.
[[nodiscard]] std::vector<eal_word> read_eal_words(std::span<std::string const> words);

// Throws usage_error for an option without the value that it needs or with one that it does not take, for a number that
// is none, and for a process that is not the primary one: the EAL says the first in several lines, takes the second for
// 0, and does not come back from the third.
void require_option_values(std::span<std::string const> words);

// Whether the EAL of DPDK 22.11 has an option of this name: "-l", "--vdev". Pure.
[[nodiscard]] bool is_eal_option(std::string_view name);

// "0x1f", "1f": the form of CPUs in the EAL's -c and -s.
[[nodiscard]] bool is_coremask(std::string_view text);

}  // namespace packetwarp

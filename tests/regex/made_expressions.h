// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <random>
#include <string>

namespace packetwarp::regex {

// An expression, and a text that it would match if it had no assertions.
struct made_expression {
  std::string pattern{};
  std::string sample{};
};

// Expressions of all that compile() supports, over few letters, so that texts often match and often nearly do.
class expression_maker {
 public:
  explicit expression_maker(std::uint32_t seed) : random_{seed} {}

  [[nodiscard]] std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  [[nodiscard]] made_expression expression(unsigned depth = 3) {
    auto made = sequence(depth);
    auto const branches = below(4) == 0 ? 1 + below(2) : 0;
    for (std::uint32_t i = 0; i < branches; ++i) {
      auto const other = sequence(depth);
      made.pattern += "|" + other.pattern;
      if (below(2) == 0) made.sample = other.sample;
    }
    return made;
  }
  [[nodiscard]] std::string modifiers() {
    std::string made;
    for (char const modifier : {'i', 's', 'm', 'x', 'A', 'E', 'G'}) {
      if (below(6) == 0) made.push_back(modifier);
    }
    return made;
  }
  [[nodiscard]] std::string text(std::uint32_t most) {
    std::string made(below(most), ' ');
    for (auto& letter : made) letter = letters_[below(sizeof letters_ - 1)];
    return made;
  }
  // A text made of the sample: as it is, within others, or changed.
  [[nodiscard]] std::string text_of(std::string sample) {
    auto const way = below(5);
    if (way == 1) sample = text(5) + sample;
    if (way == 2) sample += text(5);
    if (way == 3) sample = text(8) + sample + text(8);
    if (way == 4 && !sample.empty()) sample[below(static_cast<std::uint32_t>(sample.size()))] = letters_[below(8)];
    if (below(4) == 0) sample += "\n";
    return sample;
  }

 private:
  static constexpr char letters_[] = "ab\n_ A-0Bc\r\xff\x85\xa0";

  struct part {
    char const* pattern;
    char const* sample;
  };

  [[nodiscard]] made_expression sequence(unsigned depth) {
    made_expression made;
    for (auto left = below(5); left != 0; --left) {
      auto const one = item(depth);
      made.pattern += one.pattern;
      made.sample += one.sample;
    }
    return made;
  }

  [[nodiscard]] made_expression item(unsigned depth) {
    auto const kind = below(10);
    if (kind < 2) return assertion();
    auto made = kind < 5 && depth != 0 ? group(depth - 1) : bytes();
    if (below(3) == 0) repeat(made);
    return made;
  }

  [[nodiscard]] made_expression assertion() {
    static constexpr char const* all[] = {"^",       "$",    "\\b",   "\\B", "\\A",      "\\z",
                                          "\\Z",     "^",    "$",     "\\b", "\\B",      "[[:<:]]",
                                          "[[:>:]]", "(?i)", "(?-s)", "\\K", "(?#note)", "(?m)"};
    return {all[below(sizeof all / sizeof *all)], ""};
  }

  [[nodiscard]] made_expression bytes() {
    static constexpr part all[] = {
        {"a", "a"},
        {"b", "b"},
        {"A", "A"},
        {"_", "_"},
        {"-", "-"},
        {"\\ ", " "},
        {"0", "0"},
        {"\\n", "\n"},
        {".", "a"},
        {".", "-"},
        {"[ab]", "b"},
        {"[^a]", "b"},
        {"[^a]", "\n"},
        {"\\w", "A"},
        {"\\W", "\n"},
        {"\\d", "0"},
        {"\\D", "_"},
        {"\\s", "\n"},
        {"\\S", "a"},
        {"\\h", " "},
        {"\\v", "\x85"},
        {"\\H", "a"},
        {"\\V", "a"},
        {"\\N", "b"},
        {"\\x41", "A"},
        {"\\x{62}", "b"},
        {"\\101", "A"},
        {"\\Qa\\E", "a"},
        {"[[:upper:]]", "A"},
        {"[[:^alpha:]]", "-"},
        {"[a-c_]", "c"},
        {"[^\\w]", " "},
        {"[\\n-]", "\n"},
        {"[]a]", "a"},
        {"[^]\\d]", "b"},
        {"\\cJ", "\n"},
        {"[\\x00-\\x2f]", "-"},
        {"ab", "ab"},
        {"{", "{"},
        {"a{,2}", "a{,2}"},
        {"\\xff", "\xff"},
        {"[\\s\\S]", "a"},
        {"\n", "\n"},
        {"#", "#"},
        {"[\\S]", "a"},
        {"[^\\S]", "\n"},
        {"[\\h]", "\xa0"},
        {"[\\v]", "\x85"},
        {"[\\D]", "_"},
        {"[\\w]", "b"},
        {"\\xa0", "\xa0"},
        {"\\x85", "\x85"},
        {"[[:punct:]]", "_"},
    };
    auto const& one = all[below(sizeof all / sizeof *all)];
    return {one.pattern, one.sample};
  }

  [[nodiscard]] made_expression group(unsigned depth) {
    static constexpr char const* begins[] = {"(", "(?:", "(?i:", "(?s:", "(?m:", "(?-i:", "(?x: ", "(?^:", "(?im-s:"};
    auto made = expression(depth);
    made.pattern = begins[below(sizeof begins / sizeof *begins)] + made.pattern + ")";
    return made;
  }

  void repeat(made_expression& one) {
    static constexpr char const* quantifiers[] = {"*", "+", "?", "{2}", "{1,}", "{0,2}", "{2,3}", "{0}"};
    static constexpr std::uint32_t times[][2] = {{0, 4}, {1, 4}, {0, 1}, {2, 2}, {1, 3}, {0, 2}, {2, 3}, {0, 0}};
    // A group that is left out is refused.
    auto const which = one.pattern.front() == '(' && below(8) != 0 ? below(7) : below(8);
    auto const count = times[which][0] + below(times[which][1] - times[which][0] + 1);
    // A quantifier belongs to the last letter of several.
    bool const is_one = one.sample.size() <= 1 || one.pattern.front() == '(';
    auto const last = is_one ? one.sample : one.sample.substr(one.sample.size() - 1);
    one.sample.resize(one.sample.size() - last.size());
    for (std::uint32_t i = 0; i < count; ++i) one.sample += last;
    one.pattern += quantifiers[which];
    if (below(4) == 0) one.pattern += "?";
  }

  std::mt19937 random_;
};

}  // namespace packetwarp::regex

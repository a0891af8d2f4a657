// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shown_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace packetwarp {
namespace {

TEST(shown_text, keeps_its_beginning_and_its_end) {
  EXPECT_EQ(shortened("n.yaml:3: 'abc' is no name", 26), "n.yaml:3: 'abc' is no name");
  auto const line = "n.yaml:3: mac: '" + std::string(5'000'000, 'A') + "' is no MAC address, such as 02:00:00:00:00:01";
  auto const shown = shortened(line, 600);
  EXPECT_LE(shown.size(), 600U);
  EXPECT_THAT(shown, testing::StartsWith("n.yaml:3: mac: 'AAA"));
  EXPECT_THAT(shown, testing::HasSubstr("A [4999562 bytes are left out] A"));
  EXPECT_THAT(shown, testing::EndsWith("A' is no MAC address, such as 02:00:00:00:00:01"));
}

TEST(shown_text, cuts_no_character) {
  for (std::size_t ahead = 0; ahead < 4; ++ahead) {
    std::string text(ahead, 'x');
    for (int n = 0; n < 100; ++n) text += "\xf0\x9f\x98\x80";
    auto const shown = shortened(text, 60);
    std::string left;
    for (auto const c : shown) left += static_cast<unsigned char>(c) >= 0x80 ? std::string(1, c) : "";
    EXPECT_EQ(left.size() % 4, 0U) << shown;
  }
}

TEST(shown_text, has_letters_of_any_language) {
  for (auto const* text : {"left", "", "w0.100", "b\xc3\xbcro", "\xe5\x86\x85\xe5\x81\xb4", "\xf0\x9f\x98\x80"}) {
    EXPECT_TRUE(is_plainly_visible(text)) << text;
  }
}

TEST(shown_text, has_no_character_that_is_not_seen) {
  using namespace std::string_literals;
  for (auto const& text :
       {"a b"s, "a\x07"s, "a\0b"s, "\x7f"s, "a\xc2\x85"s, "a\xc2\xa0z"s, "a\xe2\x80\xaez"s, "a\xe2\x80\x8bz"s,
        "a\xef\xbb\xbf"s, "\xf3\xa0\x80\xa1"s, "a\xff"s, "a\xe2\x80"s, "\xc0\xaf"s, "a\x80"s}) {
    EXPECT_FALSE(is_plainly_visible(text)) << testing::PrintToString(text);
  }
}

TEST(shown_text, keeps_characters_of_utf_8_and_replaces_other_bytes) {
  EXPECT_EQ(as_utf8("\xe5\xb7\xa6 l\xc3\xa4n\xf0\x9f\x8c\x90"), "\xe5\xb7\xa6 l\xc3\xa4n\xf0\x9f\x8c\x90");
  EXPECT_EQ(as_utf8("a\xff\xe2\x80z\x80"), "a???z?");
  EXPECT_EQ(as_utf8("\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80"), "????????????")
      << "longer forms than needed, a surrogate, and beyond U+10FFFF";
  EXPECT_EQ(as_utf8(""), "");
}

}  // namespace
}  // namespace packetwarp

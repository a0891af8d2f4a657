// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <gtest/gtest.h>

#include <string>

namespace packetwarp {
namespace {

using namespace std::string_literals;

TEST(error, a_line_does_not_end_at_a_nul_byte_that_it_quotes) {
  auto const line = "n.yaml:3: 'a\0b\0' is no name; give letters"s;
  EXPECT_STREQ(usage_error(line).what(), "n.yaml:3: 'a\\x00b\\x00' is no name; give letters");
  EXPECT_STREQ(failure(line).what(), "n.yaml:3: 'a\\x00b\\x00' is no name; give letters");
}

TEST(error, other_bytes_of_a_line_stay) {
  EXPECT_STREQ(usage_error("'a\n\x1b[1m\xc3\xa9\\'").what(), "'a\n\x1b[1m\xc3\xa9\\'");
  EXPECT_STREQ(failure("").what(), "");
}

}  // namespace
}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/listen_address.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace packetwarp {
namespace {

std::string read(std::string_view text) { return to_text(parse_listen_address(text, "--metrics")); }

TEST(listen_address, is_this_machine_s_own_unless_another_is_given) {
  EXPECT_EQ(read("9464"), "127.0.0.1:9464");
  EXPECT_EQ(read("0"), "127.0.0.1:0");
  EXPECT_EQ(read("0.0.0.0:65535"), "0.0.0.0:65535");
  EXPECT_EQ(read("[::1]:80"), "[::1]:80");
}

TEST(listen_address, is_refused_by_one_line_where_it_is_none) {
  for (auto const* const text : {"", ":", "65536", "-1", "9464x", "localhost:9464", "1.2.3:80", "::1:80", "[::1]",
                                 "[1.2.3.4]:80", "1.2.3.4:", "[::1]80", "[]:80", " 80"}) {
    try {
      (void)parse_listen_address(text, "--metrics");
      ADD_FAILURE() << "accepted: " << text;
    } catch (usage_error const& wrong) {
      EXPECT_TRUE(std::string{wrong.what()}.starts_with("--metrics: '")) << wrong.what();
    }
  }
}

}  // namespace
}  // namespace packetwarp

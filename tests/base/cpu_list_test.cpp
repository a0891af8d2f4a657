// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace packetwarp {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(cpu_list, is_read_and_written_as_the_kernel_does) {
  EXPECT_THAT(parse_cpu_list("0-3,8,10-11"), Optional(ElementsAre(0, 1, 2, 3, 8, 10, 11)));
  EXPECT_THAT(parse_cpu_list("5,1-2,2"), Optional(ElementsAre(1, 2, 5)));
  EXPECT_THAT(parse_cpu_list(""), Optional(ElementsAre()));
  EXPECT_EQ(to_text({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(to_text({}), "");
}

TEST(cpu_list, refuses_what_is_none) {
  for (auto const* text : {"x", "0-", "3-1", "-1", "0,,1", "0,", ",0", "1 2", "0-8192", "99999999999999999999"}) {
    EXPECT_FALSE(parse_cpu_list(text)) << text;
  }
}

TEST(cpu_list, leaves_out_others) { EXPECT_THAT(without({0, 1, 2, 3}, {1, 3, 9}), ElementsAre(0, 2)); }

}  // namespace
}  // namespace packetwarp

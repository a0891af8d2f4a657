// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/eal_log.h"

#include <gtest/gtest.h>

namespace packetwarp {
namespace {

TEST(eal_log, has_a_reason_beside_lines_that_only_say_that_something_failed) {
  EXPECT_EQ(reason_in("EAL: invalid parameters for --iova-mode\nEAL: FATAL: Invalid 'command line' arguments.\n"
                      "EAL: Invalid 'command line' arguments.\n"),
            "invalid parameters for --iova-mode");
  EXPECT_EQ(reason_in("parse_kvlist(): could not parse node value from xx\n"
                      "vdev_probe(): failed to initialize net_ring0 device\nEAL: Bus (vdev) probe failed.\n"),
            "parse_kvlist(): could not parse node value from xx");
  EXPECT_EQ(reason_in("EAL: FATAL: Cannot init memory\nEAL: Cannot init memory\nEAL: b"), "Cannot init memory; b");
  EXPECT_EQ(reason_in("vdev_probe(): failed to initialize net_null0 device\nEAL: Bus (vdev) probe failed.\n"), "");
  EXPECT_EQ(reason_in(""), "");
  EXPECT_EQ(reason_in("1\n2\n3\n4\n5\n6\n"), "3; 4; 5; 6");
  EXPECT_LT(reason_in(std::string(5000, 'x')).size(), 700U);
}

TEST(eal_log, tells_wrong_words_from_other_failures) {
  EXPECT_TRUE(is_about_words("EAL: FATAL: Invalid 'command line' arguments.\n"));
  EXPECT_TRUE(is_about_words("EAL: failed to parse device \"zz\"\nEAL: Unable to parse device 'zz'\n"));
  EXPECT_FALSE(is_about_words("EAL: FATAL: Cannot init memory\n"));
  EXPECT_FALSE(is_about_words(""));
}

}  // namespace
}  // namespace packetwarp

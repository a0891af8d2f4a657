// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "inspection/connections.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {

// Rules for a content of which one half comes before other rules and one half after.
inline constexpr char rule_for_halves[] = "alert tcp any any -> any any (content:\"secret word\"; sid:1;)\n";

inline void expect_content_begun_before_other_rules(stage_bed& bed) {
  connection const made{4000};
  auto frames = made.handshake();
  frames.push_back(made.segment(0, 0, "GET /secret wo"));
  (void)bed.judge(frames, 1);
  bed.table().prepare({.rules = bed.compiled(), .count = bed.rules().rules.size()},
                      make_regex_engines(bed.compiled(), 1));
  bed.table().publish();
  frames = {made.segment(0, 14, "rd HTTP/1.1")};
  (void)bed.judge(frames, 1);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}}));
}

}  // namespace packetwarp::test

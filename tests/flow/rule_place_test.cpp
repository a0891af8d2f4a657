// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/rule_place.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace packetwarp::flow {
namespace {

TEST(place_of, finds_the_items_and_actions_of_a_rule_in_its_file) {
  auto const file = std::filesystem::path{testing::TempDir()} / "place_of_flows.txt";
  std::ofstream{file} << "# a rule\n\n  flow create 0 ingress pattern void / eth / udp src is 1 / end actions count / "
                         "queue index 1 / end # end\n";
  auto const place = [&](rule_part part) { return place_of(file, 3, part).substr(file.string().size()); };
  EXPECT_EQ(place({}), ":3:3");
  EXPECT_EQ(place({.item = 0}), ":3:33");
  EXPECT_EQ(place({.item = 1}), ":3:40");
  EXPECT_EQ(place({.item = 2}), ":3:46");
  EXPECT_EQ(place({.action = 0}), ":3:73");
  EXPECT_EQ(place({.action = 1}), ":3:81");
  // The rule has fewer actions; the file may have been changed since.
  EXPECT_EQ(place({.action = 9}), ":3:3");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace packetwarp::flow

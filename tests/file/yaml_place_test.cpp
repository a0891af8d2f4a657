// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "file/yaml_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace packetwarp {
namespace {

yaml_place root_of(std::string const& text) { return parse_yaml("network.yaml", text); }

TEST(yaml_place, replaces_variables_in_values) {
  ::setenv("PACKETWARP_TEST_MTU", "1400", 1);
  auto const root = root_of("mtu: ${PACKETWARP_TEST_MTU}\nnames: [\"${PACKETWARP_TEST_MTU}\", '${UNSET_HERE:-b}']\n");
  EXPECT_EQ(root.at("mtu").number(1280, 9000), 1400);
  EXPECT_EQ(root.at("names").items()[0].text(), "1400");
  EXPECT_EQ(root.at("names").items()[1].text(), "b");
}

TEST(yaml_place, replaces_no_variables_in_keys) {
  ::setenv("PACKETWARP_TEST_KEY", "mtu", 1);
  try {
    root_of("name: a\n${PACKETWARP_TEST_KEY}: 1400\n").require_keys({"name", "mtu"});
    FAIL() << "accepted, and then not found";
  } catch (usage_error const& wrong) {
    EXPECT_STREQ(wrong.what(), "network.yaml:2: no key '${PACKETWARP_TEST_KEY}'; there are name, mtu");
  }
}

TEST(yaml_place, refuses_a_variable_by_its_line) {
  try {
    (void)root_of("mtu: 1\nlist:\n  - a\n  - ${PACKETWARP_UNSET}\n").at("list").items()[1].text();
    FAIL() << "accepted";
  } catch (usage_error const& wrong) {
    EXPECT_THAT(wrong.what(),
                testing::StartsWith("network.yaml:4: list[1]: the environment variable PACKETWARP_UNSET"));
  }
}

std::string refusal_of_text(yaml_place const& place) {
  try {
    (void)place.text();
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(yaml_place, finds_a_value_by_its_text) {
  auto const root = root_of("a:\n  - b: one\n  - [two, ~]\nc: {d: two}\n");
  EXPECT_EQ(root.find_text("one").value().told(), "network.yaml:2: a[0].b");
  EXPECT_EQ(root.find_text("two").value().told(), "network.yaml:3: a[1][0]");
  EXPECT_FALSE(root.find_text("b").has_value()) << "a key";
}

TEST(yaml_place, refuses_a_nul_character) {
  EXPECT_EQ(refusal_of_text(root_of(R"(log: "/tmp/a\0b")").at("log")),
            "network.yaml:1: log: holds a NUL character; leave it out");
}

TEST(yaml_place, quotes_the_beginning_of_a_long_value) {
  auto const root = root_of("mtu: " + std::string(5'000'000, '9') + '\n');
  try {
    (void)root.at("mtu").number(1280, 9000);
    FAIL() << "accepted";
  } catch (usage_error const& wrong) {
    std::string const line = wrong.what();
    EXPECT_LE(line.size(), 2048U);
    EXPECT_THAT(line, testing::StartsWith("network.yaml:1: mtu: '999"));
    EXPECT_THAT(line, testing::EndsWith("99' is no number from 1280 to 9000"));
  }
}

TEST(yaml_place, refuses_a_key_without_a_value_at_each_level) {
  auto const root = root_of("a: 1\nb:\n  c: 2\n  d:\n");
  root.require_keys({"a", "b"});
  try {
    root.at("b").require_keys({"c", "d"});
    FAIL() << "accepted";
  } catch (usage_error const& wrong) {
    EXPECT_STREQ(wrong.what(), "network.yaml:4: b: the key 'd' has no value; give one, or leave it out");
  }
}

[[nodiscard]] std::string refusal_of(std::string const& text) {
  try {
    (void)root_of(text);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(yaml_place, reads_values_of_all_kinds_with_their_lines) {
  auto const root = root_of("a: &x {b: 'c d', e: [1, 2]}\nf: *x\n\ng: ''\n2: ~\n");
  EXPECT_EQ(root.at("a").at("b").text(), "c d");
  EXPECT_EQ(root.at("f").at("e").items()[1].number(0, 9), 2U);
  EXPECT_EQ(root.at("g").text(), "");
  EXPECT_EQ(root.at("g").line(), 4);
  EXPECT_EQ(root.find("2"), std::nullopt);
  EXPECT_EQ(root.entries().size(), 4U);
  EXPECT_EQ(root.entries()[1].first, "f");
}

TEST(yaml_place, of_an_empty_file_is_its_first_line) {
  auto const root = root_of("");
  EXPECT_FALSE(root.is_map());
  EXPECT_EQ(root.line(), 1);
}

TEST(yaml_place, refuses_text_by_its_line) {
  EXPECT_EQ(refusal_of("a: 1\nb: [1\n"), "network.yaml:3: no YAML: end of sequence flow not found");
  EXPECT_THAT(refusal_of("a: 1\n---\nb: 2\n"), testing::StartsWith("network.yaml:3: a second document of YAML begins"));
  EXPECT_EQ(refusal_of("a: &x [1, *x]\n"), "network.yaml:1: no YAML: the alias is within the value that it stands for");
}

TEST(yaml_place, finds_the_first_difference) {
  auto const was = root_of("a: 1\nb: [1, {c: 2}]\n");
  EXPECT_EQ(root_of("b: [1, {c: 2}]\na: 1\n").first_difference(was), std::nullopt);
  EXPECT_EQ(root_of("a: 1\nb: [1, {c: 3}]\n").first_difference(was)->told(), "network.yaml:2: b[1].c");
  EXPECT_EQ(root_of("a: 1\n").first_difference(was)->told(), "network.yaml:1");
}

TEST(yaml_place, is_given_up_once_nothing_needs_it) {
  int left = 5;
  need_check const need = [&left] {
    if (left-- == 0) throw abandoned("given up");
  };
  EXPECT_THROW((void)parse_yaml("network.yaml", "[1, 2, 3, 4, 5, 6]", need), abandoned);
  left = 100;
  auto const root = parse_yaml("network.yaml", "a: [1, 2]", need);
  left = 0;
  EXPECT_THROW((void)root.at("a").items(), abandoned);
}

}  // namespace
}  // namespace packetwarp

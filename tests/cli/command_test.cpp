// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "cli/ask/ask.h"
#include "cli/call.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

invocation split(std::vector<char const*> const& words) { return split_command_line(words); }

TEST(split_command_line, parts_eal_options_from_the_command_s_own_at_the_dashes) {
  auto const call = split({"packetwarp", "l2fwd", "-l", "0-1", "--vdev=net_null0", "--", "-b", "64", "-p2"});
  EXPECT_EQ(call.program, "packetwarp");
  EXPECT_EQ(call.command, "l2fwd");
  EXPECT_THAT(call.eal, ElementsAre("-l", "0-1", "--vdev=net_null0"));
  EXPECT_THAT(call.options, ElementsAre("-b", "64", "-p2"));
  EXPECT_FALSE(call.wants_help);
}

TEST(split_command_line, takes_everything_for_the_eal_when_there_are_no_dashes) {
  auto const call = split({"packetwarp", "l2fwd", "-l", "0"});
  EXPECT_THAT(call.eal, ElementsAre("-l", "0"));
  EXPECT_THAT(call.options, IsEmpty());
}

TEST(split_command_line, parts_at_the_first_dashes_only) {
  auto const call = split({"packetwarp", "l2fwd", "--", "-b", "--", "1"});
  EXPECT_THAT(call.eal, IsEmpty());
  EXPECT_THAT(call.options, ElementsAre("-b", "--", "1"));
}

TEST(split_command_line, keeps_empty_words) {
  EXPECT_THAT(split({"packetwarp", "l2fwd", "", "--", ""}).eal, ElementsAre(""));
  EXPECT_THAT(split({"packetwarp", "l2fwd", "", "--", ""}).options, ElementsAre(""));
}

TEST(split_command_line, sees_a_cry_for_help_on_either_side) {
  EXPECT_TRUE(split({"packetwarp", "l2fwd", "--help"}).wants_help);
  EXPECT_TRUE(split({"packetwarp", "l2fwd", "-l", "0", "-h"}).wants_help);
  EXPECT_TRUE(split({"packetwarp", "l2fwd", "--", "--help"}).wants_help);
  EXPECT_FALSE(split({"packetwarp", "l2fwd", "--helpful"}).wants_help);
  EXPECT_TRUE(split({"packetwarp", "generate", "-t", "--help"}).wants_help);
}

TEST(split_command_line, leaves_a_profile_s_words_to_the_profile) {
  auto const call = split({"packetwarp", "generate", "--", "--stl", "a.py", "-t", "--help"});
  EXPECT_FALSE(call.wants_help);
  EXPECT_THAT(call.options, ElementsAre("--stl", "a.py", "-t", "--help"));
  EXPECT_FALSE(split({"packetwarp", "generate", "--", "-t", "-h"}).wants_help);
  EXPECT_TRUE(split({"packetwarp", "generate", "--", "-t", "x", "-h"}).wants_help);
}

TEST(split_command_line, takes_what_there_is) {
  EXPECT_EQ(split({}).command, "");
  EXPECT_EQ(split({"packetwarp"}).command, "");
  EXPECT_EQ(split({"packetwarp", "--version"}).command, "--version");
}

TEST(commands, each_have_a_name_of_their_own_a_summary_and_a_page_that_begins_with_it) {
  std::set<std::string_view> names;
  for (auto const& c : commands()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_FALSE(c.summary.empty()) << c.name;
    EXPECT_TRUE(c.page.starts_with("packetwarp " + std::string{c.name} + ": ")) << c.name;
    EXPECT_THAT(std::string{c.page}, HasSubstr("\nusage: packetwarp " + std::string{c.name})) << c.name;
    EXPECT_NE(c.run, nullptr) << c.name;
  }
  EXPECT_TRUE(names.contains("l2fwd"));
}

TEST(commands, of_modules_are_among_them_and_are_words_of_networks) {
  std::set<std::string_view> names;
  for (auto const& c : commands()) names.insert(c.name);
  auto const words = words_of_networks();
  for (auto const* const kind : module_kinds()) {
    for (auto const& one : kind->facts().client.commands) {
      EXPECT_TRUE(names.contains(one.name)) << one.name;
      EXPECT_THAT(words, testing::Contains(one.name));
    }
  }
  EXPECT_THAT(words, testing::Contains("reload"));
}

TEST(help_pages, have_no_place_left_for_what_modules_say) {
  for (auto const& c : commands()) {
    EXPECT_THAT(std::string{c.page}, testing::Not(HasSubstr(" of modules}"))) << c.name;
    EXPECT_THAT(std::string{c.page}, testing::Not(testing::ContainsRegex("\\{(usage|nouns|places|rows)"))) << c.name;
  }
}

class parsing : public testing::Test {
 protected:
  // The values of -n and --name after these words, or the one line that refuses them.
  std::string parse(std::vector<std::string> words) {
    CLI::App app;
    std::string name;
    bool flag = false;
    app.add_option("-n,--name", name);
    app.add_flag("-f", flag);
    try {
      parse_options(app, test::l2fwd_call(std::move(words)));
    } catch (usage_error const& wrong) {
      return wrong.what();
    }
    return name + (flag ? "+f" : "");
  }
};

TEST_F(parsing, takes_options_in_every_usual_form) {
  EXPECT_EQ(parse({}), "");
  EXPECT_EQ(parse({"-n", "x", "-f"}), "x+f");
  EXPECT_EQ(parse({"-nx"}), "x");
  EXPECT_EQ(parse({"--name", "x"}), "x");
  EXPECT_EQ(parse({"-f", "--name=x"}), "x+f");
}

TEST_F(parsing, tells_of_a_value_that_is_missing_before_another_option) {
  EXPECT_EQ(parse({"--name", "-f"}), "-f");
  EXPECT_EQ(parse({"--name", "--name", "x"}), "--name: its value is missing before --name");
}

TEST_F(parsing, refuses_an_option_that_does_not_exist_by_its_name) {
  EXPECT_EQ(parse({"-f", "--nome=x"}), "--nome=x: no such option; 'packetwarp l2fwd --help' lists them");
  EXPECT_EQ(parse({"stray"}), "stray: no such option; 'packetwarp l2fwd --help' lists them");
  EXPECT_EQ(parse({"/f"}), "/f: no such option; 'packetwarp l2fwd --help' lists them");
}

TEST_F(parsing, refuses_an_option_without_its_value_or_given_twice) {
  EXPECT_EQ(parse({"--name"}), "--name needs a value; 'packetwarp l2fwd --help' says how");
  EXPECT_EQ(parse({"-n", "x", "-n", "y"}), "--name is given twice; give it once; 'packetwarp l2fwd --help' says how");
}

}  // namespace
}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/misplaced.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/l2fwd/options.h"

namespace packetwarp {
namespace {

using testing::HasSubstr;

// The one line that refuses an l2fwd command with these words before "--", and after it.
std::string refusal_of_words(std::vector<std::string> eal, std::vector<std::string> options = {}) {
  try {
    (void)parse_l2fwd_options({.program = "packetwarp",
                               .command = "l2fwd",
                               .eal = std::move(eal),
                               .options = std::move(options),
                               .wants_help = false});
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(misplaced, options_of_packetwarp_in_front_of_the_dashes_are_told_where_they_go) {
  EXPECT_EQ(refusal_of_words({"-l", "0", "-w", "cpu"}),
            "-w is packetwarp's: put it after `--`, as in 'packetwarp l2fwd [EAL options] -- -w cpu'");
  for (auto const& words : {std::vector<std::string>{"-wcpu"}, {"--json=x"}, {"--until-idle", "1s"}, {"-p", "2"}}) {
    auto const name = words.front().substr(0, words.front().starts_with("--") ? words.front().find('=') : 2);
    EXPECT_THAT(refusal_of_words(words), HasSubstr(name + " is packetwarp's: put it after `--`"));
  }
}

TEST(misplaced, letters_that_the_eal_has_too_are_told_by_their_values) {
  for (auto const& words : {std::vector<std::string>{"-b", "64"},
                            {"-b64"},
                            {"-d", "2k"},
                            {"-d", "9600"},
                            {"-m", "device"},
                            {"-n", "--vdev=net_null0"},
                            {"-n"},
                            {"-s"},
                            {"-s", "-l"},
                            {"-v", "100"}}) {
    EXPECT_THAT(refusal_of_words(words), HasSubstr(words.front().substr(0, 2) + " is packetwarp's: put it after `--`"));
  }
  for (auto const& words : {std::vector<std::string>{"-b", "0000:b5:00.0"},
                            {"-d", "/usr/lib/x.so"},
                            {"-d", "librte_x.so"},
                            {"-m", "2048"},
                            {"-n", "4"},
                            {"-s", "0x3"},
                            {"-v"}}) {
    EXPECT_EQ(refusal_of_words(words), "accepted") << words.front();
  }
}

TEST(misplaced, words_of_nobody_are_refused_before_the_eal_starts) {
  EXPECT_THAT(refusal_of_words({"--fly"}), HasSubstr("--fly: neither the EAL nor packetwarp l2fwd has such an option"));
  EXPECT_THAT(refusal_of_words({"-l", "0", "net_null0"}), HasSubstr("'net_null0' belongs to no option of the EAL's"));
}

TEST(misplaced, options_of_the_eal_behind_the_dashes_are_told_where_they_go) {
  EXPECT_THAT(refusal_of_words({}, {"-l", "0-1"}), HasSubstr("-l is the EAL's: put it in front of `--`"));
  EXPECT_THAT(refusal_of_words({}, {"--vdev=net_null0"}), HasSubstr("--vdev is the EAL's: put it in front of `--`"));
  EXPECT_THAT(refusal_of_words({}, {"--fly"}), HasSubstr("--fly: no such option"));
}

}  // namespace
}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/eal_session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rte_lcore.h>

#include <cstdlib>

#include "base/error.h"

namespace packetwarp {
namespace {

// Starts an EAL in this (child) process; exits with 0 and a line on standard error, or as main does, with the line
// of the error.
[[noreturn]] void start(std::vector<std::string> words) {
  try {
    eal_session const eal{{.words = std::move(words), .notices = {}}};
    fmt::print(stderr, "started on {} lcores", rte_lcore_count());
    std::fflush(stderr);
  } catch (usage_error const& wrong) {
    fmt::print(stderr, "{}\n", wrong.what());
    std::_Exit(2);
  } catch (failure const& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}

TEST(eal_session_death_test, says_which_options_the_eal_did_not_take) {
  EXPECT_EXIT(start({"test", "-l", "0", "--no-such-option"}), testing::ExitedWithCode(2),
              "the EAL did not start: .* \\(its options: -l 0 --no-such-option\\)");
}

TEST(eal_session_death_test, says_the_eals_reason_in_its_own_line) {
  EXPECT_EXIT(start({"test", "-l", "0", "--no-pci", "--no-huge", "--log-level=lib.eal:error", "--iova-mode", "zz"}),
              testing::ExitedWithCode(2), "the EAL did not start: invalid parameters for --iova-mode \\(its options");
}

TEST(eal_session_death_test, starts_with_options_that_were_completed_for_a_machine_without_hugepages) {
  auto const completed =
      complete_eal_arguments({"test", "-l", "0", "--no-pci", "--in-memory", "-m", "64"}, eal_machine{});
  EXPECT_EXIT(start(completed.words), testing::ExitedWithCode(0), "started on 1 lcores");
}

TEST(eal_session_death_test, starts_with_options_that_were_completed_for_this_machine) {
  auto const completed =
      complete_eal_arguments({"test", "-l", "0", "--no-pci", "--file-prefix=packetwarp_test"}, read_eal_machine());
  EXPECT_EXIT(start(completed.words), testing::ExitedWithCode(0), "started on 1 lcores");
}

// The text on standard output around an EAL that printed its usage page.
[[noreturn]] void print_around_a_start() {
  testing::internal::CaptureStdout();
  fmt::print("before\n");
  try {
    std::vector<std::string> const wrong{"test", "--no-such-option"};
    eal_session const eal{{.words = wrong, .notices = {}}};
  } catch (usage_error const&) {
    fmt::print("after\n");
  }
  auto const printed = testing::internal::GetCapturedStdout();
  fmt::print(stderr, "standard output held {}\n", printed == "before\nafter\n" ? "nothing else" : printed);
  std::_Exit(0);
}

TEST(eal_session_death_test, leaves_standard_output_to_results) {
  EXPECT_EXIT(print_around_a_start(), testing::ExitedWithCode(0), "standard output held nothing else");
}

}  // namespace
}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/machine_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

// The line that reading fails with; empty where it does not.
template <class Read>
std::string problem_of(Read read) {
  try {
    (void)read();
  } catch (failure const& failed) {
    return failed.what();
  }
  return {};
}

TEST_F(machine_tree, files_are_read_as_lines_numbers_and_fields) {
  write("/a/b", "  12 \nmore\n");
  write("/a/hex", "0x15b3\n");
  EXPECT_EQ(files().line("/a/b"), "12");
  EXPECT_EQ(files().number("/a/b"), 12u);
  EXPECT_EQ(files().number("/a/hex"), 0x15b3u);
  EXPECT_THAT(files().field("/proc/self/status", "Name"), Optional(std::string{"packetwarp"}));
  EXPECT_FALSE(files().field("/proc/self/status", "Nam"));
  EXPECT_EQ(files().kilobytes("/proc/meminfo", "MemFree"), std::uint64_t{16} << 30);
  EXPECT_THAT(files().names("/a"), ElementsAre("b", "hex"));
  EXPECT_THAT(files().names("/nowhere"), IsEmpty());
}

TEST_F(machine_tree, what_cannot_be_read_says_which_and_why) {
  EXPECT_THAT(problem_of([&] { return files().text("/no/file"); }), AllOf(HasSubstr("/no/file"), HasSubstr("No such")));
  make_unreadable("/a/folder");
  EXPECT_THAT(problem_of([&] { return files().text("/a/folder"); }), HasSubstr("Is a directory"));
  for (auto const* text : {"", "x", "1x", "-1", "0x", "1 2", "99999999999999999999", "\xff\n\t"}) {
    write("/a/number", text);
    auto const said = problem_of([&] { return files().number("/a/number"); });
    EXPECT_THAT(said, HasSubstr("/a/number holds")) << text;
    EXPECT_TRUE(std::all_of(said.begin(), said.end(), [](char c) { return c >= ' ' && c <= '~'; })) << said;
  }
  EXPECT_THAT(problem_of([&] { return files().kilobytes("/proc/meminfo", "Nothing"); }), HasSubstr("Nothing"));
  write("/proc/meminfo", "MemFree: lots kB\n");
  EXPECT_THAT(problem_of([&] { return files().kilobytes("/proc/meminfo", "MemFree"); }), HasSubstr("lots"));
}

TEST_F(machine_tree, links_are_followed_below_the_root) {
  EXPECT_EQ(files().target(std::string{nic} + "/driver"), "mlx5_core");
  EXPECT_EQ(files().target("/proc/cmdline"), "");
  EXPECT_THAT(files().way_to(nic), ElementsAre("sys", "devices", "pci0000:b2", "0000:b2:00.0", "0000:b3:00.0",
                                               "0000:b4:08.0", "0000:b5:00.0"));
  EXPECT_THAT(problem_of([&] { return files().way_to("/no/link"); }), HasSubstr("/no/link"));
}

TEST_F(machine_tree, only_files_that_are_there_are_written) {
  auto const write_there = [&](std::string const& path) {
    return problem_of([&] {
      files().write(path, 7);
      return 0;
    });
  };
  write("/a/number", "1\n");
  EXPECT_EQ(write_there("/a/number"), "");
  EXPECT_EQ(files().number("/a/number"), 7u);
  EXPECT_THAT(write_there("/a/other"), HasSubstr("/a/other cannot be written"));
  EXPECT_FALSE(files().has("/a/other"));
}

}  // namespace
}  // namespace packetwarp::doctor

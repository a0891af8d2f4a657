// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/runtime_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace packetwarp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(runtime_folder, of_this_user_alone_is_made_once) {
  auto const folder = fs::path{testing::TempDir()} / "packetwarp_own";
  fs::remove_all(folder);
  EXPECT_FALSE(is_own_folder(folder));
  EXPECT_EQ(make_own_folder(folder), "");
  EXPECT_EQ(make_own_folder(folder), "");
  EXPECT_TRUE(is_own_folder(folder));
  fs::permissions(folder, fs::perms::all);
  EXPECT_THAT(make_own_folder(folder), HasSubstr("no folder of this user's alone"));
  fs::remove_all(folder);
  fs::create_symlink("/tmp", folder);
  EXPECT_FALSE(is_own_folder(folder)) << "a link may lead anywhere";
  fs::remove(folder);
  EXPECT_THAT(make_own_folder("/nowhere/at/all"), HasSubstr("/nowhere/at/all cannot be made: "));
}

TEST(runtime_folder, of_the_eal_is_the_given_one_if_it_can_be_written_to) {
  auto const folder = fs::path{testing::TempDir()} / "packetwarp_runtime";
  fs::create_directories(folder);
  ::setenv("RUNTIME_DIRECTORY", folder.c_str(), 1);
  EXPECT_EQ(find_eal_runtime_folder(), folder.string());
  for (auto const* unusable : {"/proc/1/nowhere", "/run/packetwarp:/run/dpdk", ""}) {
    ::setenv("RUNTIME_DIRECTORY", unusable, 1);
    EXPECT_NE(find_eal_runtime_folder(), unusable);
    give_eal_a_runtime_folder();
    EXPECT_STREQ(std::getenv("RUNTIME_DIRECTORY"), find_eal_runtime_folder().c_str()) << unusable;
  }
  ::unsetenv("RUNTIME_DIRECTORY");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace packetwarp

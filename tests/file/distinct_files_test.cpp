// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "file/distinct_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.h"

namespace packetwarp {
namespace {

using testing::HasSubstr;

class distinct_files : public testing::Test {
 protected:
  distinct_files() {
    std::filesystem::create_directories(folder_);
    for (auto const* const name : {"own", "other"}) std::ofstream{folder_ / name} << name;
    std::filesystem::create_hard_link(folder_ / "own", folder_ / "hard");
    std::filesystem::create_symlink("own", folder_ / "soft");
  }
  ~distinct_files() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string in(std::string const& name) const { return folder_ / name; }
  [[nodiscard]] std::string refusal(std::string const& path, std::vector<std::string> const& own) const {
    try {
      require_replaceable(path, own);
    } catch (usage_error const& wrong) {
      return wrong.what();
    }
    return {};
  }

  std::filesystem::path const folder_{testing::TempDir() + "distinct_files_" + std::to_string(::getpid())};
};

TEST_F(distinct_files, replace_no_file_of_the_run_by_any_of_its_names) {
  std::vector<std::string> const own{"", "-", in("missing"), in("own")};
  for (auto const* const name : {"own", "hard", "soft", "./own", "missing"}) {
    EXPECT_THAT(refusal(in(name), own), HasSubstr(std::string{name} + ": the running packetwarp reads or writes"));
  }
  EXPECT_EQ(refusal(in("other"), own), "");
  EXPECT_EQ(refusal(in("new"), own), "");
}

TEST_F(distinct_files, replace_regular_files_alone) {
  ASSERT_EQ(::mkfifo(in("pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(in("pipe"), {}), HasSubstr("no regular file"));
  EXPECT_THAT(refusal(folder_, {}), HasSubstr("no regular file"));
  EXPECT_THAT(refusal("/dev/null", {}), HasSubstr("no regular file"));
}

TEST_F(distinct_files, are_found_by_their_inode) {
  struct stat of {};
  ASSERT_EQ(::stat(in("hard").c_str(), &of), 0);
  file_id const wanted{of.st_dev, of.st_ino};
  std::vector<std::string> const own{"", in("missing"), in("other"), in("soft")};
  EXPECT_EQ(find_file(wanted, own), &own[3]);
  EXPECT_EQ(find_file(wanted, std::span{own}.first(3)), nullptr);
}

}  // namespace
}  // namespace packetwarp

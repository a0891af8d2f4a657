// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/result_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"

namespace packetwarp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A folder that is gone when the test is over.
class result_file_test : public testing::Test {
 protected:
  result_file_test() {
    std::string name = fs::temp_directory_path() / "packetwarp_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~result_file_test() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(std::string const& name) const { return folder_ / name; }
  static std::string text_of(std::string const& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
  }
  static std::string failure_of(std::string const& file) {
    try {
      result_file const opened{file};
    } catch (failure const& failed) {
      return failed.what();
    }
    return "opened";
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{});
  }

  fs::path folder_;
};

TEST_F(result_file_test, appears_under_its_name_when_it_is_complete) {
  result_file result{path("a.json")};
  EXPECT_FALSE(fs::exists(path("a.json")));
  result.write("{}");
  EXPECT_EQ(text_of(path("a.json")), "{}\n");
  EXPECT_EQ(files(), 1) << "and nothing beside it";
}

TEST_F(result_file_test, leaves_nothing_and_spoils_nothing_when_it_is_not_written) {
  std::ofstream{path("a.json")} << "earlier";
  { result_file const result{path("a.json")}; }
  EXPECT_EQ(text_of(path("a.json")), "earlier");
  EXPECT_EQ(files(), 1);
}

TEST_F(result_file_test, takes_its_text_in_parts) {
  {
    result_file result{path("a.csv"), "--out"};
    result.append("a,b\n");
    result.append("1,2\n");
    EXPECT_FALSE(fs::exists(path("a.csv")));
    result.complete();
  }
  EXPECT_EQ(text_of(path("a.csv")), "a,b\n1,2\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(result_file_test, takes_the_place_of_an_earlier_one) {
  std::ofstream{path("a.json")} << "earlier and longer";
  result_file result{path("a.json")};
  result.write("{}");
  EXPECT_EQ(text_of(path("a.json")), "{}\n");
}

TEST_F(result_file_test, that_cannot_be_written_fails_when_it_is_opened) {
  EXPECT_EQ(failure_of(path("none/a.json")),
            "--json: " + path("none/a.json") + " cannot be written: No such file or directory");
  EXPECT_THAT(failure_of(folder_), HasSubstr("it is a directory"));
  std::ofstream{path("file")} << "";
  EXPECT_THAT(failure_of(path("file/a.json")), HasSubstr("cannot be written: Not a directory"));
  EXPECT_THAT(failure_of(path(std::string(300, 'a'))), HasSubstr("cannot be written: File name too long"));
}

TEST_F(result_file_test, that_has_no_name_is_not_written) {
  result_file result{""};
  result.write("{}");
  EXPECT_EQ(files(), 0);
  EXPECT_FALSE(result.is_standard_output());
}

TEST_F(result_file_test, goes_to_standard_output_for_a_dash) {
  testing::internal::CaptureStdout();
  result_file result{"-"};
  EXPECT_TRUE(result.is_standard_output());
  result.write("{}");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{}\n");
}

// For --json /dev/stderr or a named pipe: a file in its place would break it for all other programs.
TEST_F(result_file_test, writes_into_what_is_no_regular_file_instead_of_replacing_it) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  int const reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  {
    result_file result{path("pipe")};
    result.write("{}");
  }
  std::array<char, 16> got{};
  EXPECT_EQ(::read(reader, got.data(), got.size()), 3);
  EXPECT_STREQ(got.data(), "{}\n");
  ::close(reader);
  EXPECT_EQ(fs::status(path("pipe")).type(), fs::file_type::fifo);
  EXPECT_EQ(files(), 1);
}

TEST_F(result_file_test, that_does_not_fit_is_a_failure) {
  result_file result{"/dev/full"};
  try {
    result.write("{}");
    ADD_FAILURE() << "written";
  } catch (failure const& failed) {
    EXPECT_STREQ(failed.what(), "--json: writing /dev/full failed: No space left on device");
  }
}

TEST_F(result_file_test, that_fails_costs_the_text_on_standard_output_nothing) {
  result_file full{"/dev/full"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(write_results(full, "{}", "text\n"), exit_failure);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "text\n");
}

TEST_F(result_file_test, is_written_beside_the_text_and_alone_on_standard_output) {
  result_file file{path("a.json")};
  testing::internal::CaptureStdout();
  EXPECT_EQ(write_results(file, "{}", "text\n"), exit_success);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "text\n");
  EXPECT_EQ(text_of(path("a.json")), "{}\n");
  result_file dash{"-"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(write_results(dash, "{}", "text\n"), exit_success);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{}\n");
}

}  // namespace
}  // namespace packetwarp

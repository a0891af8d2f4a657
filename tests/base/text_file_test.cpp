// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <thread>

#include "base/error.h"

namespace packetwarp {
namespace {

std::string in_folder(std::string const& name) { return testing::TempDir() + "/text_file_test_" + name; }

std::string refusal(std::string const& file) {
  try {
    (void)read_text_file(file);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(text_file, is_read_as_a_whole) {
  std::string const text(std::size_t{3} << 20, 'x');
  std::ofstream{in_folder("long")} << text << '\0' << "end";
  EXPECT_EQ(read_text_file(in_folder("long")), text + '\0' + "end");
  EXPECT_EQ(read_text_file("/dev/null"), "");
  EXPECT_NE(read_text_file("/proc/self/status").value_or(""), "") << "a file of the kernel, whose size is 0";
}

TEST(text_file, may_be_a_pipe) {
  auto const pipe = in_folder("pipe");
  (void)::unlink(pipe.c_str());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer{[&] { std::ofstream{pipe} << "a text"; }};
  EXPECT_EQ(read_text_file(pipe), "a text");
  writer.join();
}

TEST(text_file, that_cannot_be_read_leaves_the_reason) {
  for (auto const& [file, reason] :
       {std::pair{"/no/such/file", ENOENT}, std::pair{"/", EISDIR}, std::pair{"/proc/self/mem", EIO}}) {
    errno = 0;
    auto const read = read_text_file(file);
    EXPECT_EQ(errno, reason) << file;
    EXPECT_EQ(read, std::nullopt) << file;
  }
}

TEST(text_file, without_an_end_or_larger_than_any_text_is_refused) {
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: is larger than 256 MiB, the most that is read; give a smaller file");
  auto const large = in_folder("large");
  std::ofstream{large} << "x";
  ASSERT_EQ(::truncate(large.c_str(), (off_t{256} << 20) + 1), 0);
  EXPECT_THAT(refusal(large), testing::HasSubstr("larger than 256 MiB"));
  (void)::unlink(large.c_str());
}

}  // namespace
}  // namespace packetwarp

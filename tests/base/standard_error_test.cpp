// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/standard_error.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace packetwarp {
namespace {

class a_pipe : public testing::Test {
 protected:
  a_pipe() { EXPECT_EQ(::pipe2(ends_.data(), O_NONBLOCK), 0); }
  ~a_pipe() override {
    for (int const end : ends_) (void)::close(end);
  }
  [[nodiscard]] std::string read_all() const {
    std::string all;
    std::array<char, 65536> some;
    for (ssize_t n = 0; (n = ::read(ends_[0], some.data(), some.size())) > 0;) {
      all.append(some.data(), static_cast<std::size_t>(n));
    }
    return all;
  }
  std::array<int, 2> ends_{};
};

TEST_F(a_pipe, that_nobody_reads_costs_lines_which_are_counted_and_told_of) {
  // The writing end waits, as a standard error does.
  ASSERT_EQ(::fcntl(ends_[1], F_SETFL, 0), 0);
  standard_error to{ends_[1]};
  std::string const line(99, 'x');
  for (int n = 0; n < 2000; ++n) (void)to.put(line + '\n');
  auto const lost = to.counts().lost;
  EXPECT_GT(lost, 1000u);
  EXPECT_EQ(to.counts().written + lost, 2000u);
  (void)read_all();
  EXPECT_TRUE(to.put("after\n"));
  EXPECT_EQ(read_all(), "packetwarp: warning: " + std::to_string(lost) + " lines of this log were lost\nafter\n");
}

TEST_F(a_pipe, whose_reader_has_gone_costs_lines_and_not_the_process) {
  survive_broken_pipes();
  standard_error to{ends_[1]};
  (void)::close(ends_[0]);
  EXPECT_FALSE(to.put("one\n"));
  EXPECT_FALSE(to.put("two\n"));
  EXPECT_EQ(to.counts().lost, 2u);
  ends_[0] = ::open("/dev/null", O_RDONLY);
}

TEST(a_file_at_the_limit_of_its_size, costs_the_write_and_not_the_process) {
  survive_limits_of_files();
  auto const file = ::open(testing::TempDir().c_str(), O_TMPFILE | O_WRONLY, 0600);
  ASSERT_GE(file, 0);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit const small{.rlim_cur = 4, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  auto const first = ::write(file, "12345", 5);
  auto const second = ::write(file, "5", 1);
  auto const why = errno;
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(first, 4);
  EXPECT_EQ(second, -1);
  EXPECT_EQ(why, EFBIG);
  (void)::close(file);
}

}  // namespace
}  // namespace packetwarp

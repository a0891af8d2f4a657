// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/log/log_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>

#include "base/error.h"
#include "base/process/hang_up.h"
#include "base/process/private_file.h"

namespace packetwarp {
namespace {

constexpr std::chrono::seconds patience{30};
constexpr std::chrono::milliseconds none{1};

// A disk that the test stalls, fills and frees.
struct disk {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_stalled{false};
  int error{0};
  std::size_t at_once{1U << 20};
  std::size_t room{1U << 20};
  std::string text;
  int attempts{0};

  template <class Change>
  void set(Change change) {
    std::lock_guard const lock{mutex};
    change();
    changed.notify_all();
  }
  template <class Condition>
  void wait_for(Condition holds) {
    std::unique_lock lock{mutex};
    ASSERT_TRUE(changed.wait_for(lock, patience, holds));
  }
};

class disk_target final : public log_target {
 public:
  explicit disk_target(std::shared_ptr<disk> on) : on_{std::move(on)} {}
  [[nodiscard]] std::ptrdiff_t write(std::string_view bytes) override {
    std::unique_lock lock{on_->mutex};
    ++on_->attempts;
    on_->changed.notify_all();
    on_->changed.wait(lock, [this] { return !on_->is_stalled; });
    if (on_->error != 0) return -on_->error;
    auto const some = bytes.substr(0, std::min(on_->at_once, on_->room - on_->text.size()));
    if (some.empty()) return -ENOSPC;
    on_->text.append(some);
    on_->changed.notify_all();
    return static_cast<std::ptrdiff_t>(some.size());
  }
  void wait(std::chrono::milliseconds) override {
    std::unique_lock lock{on_->mutex};
    (void)on_->changed.wait_for(lock, std::chrono::milliseconds{1});
  }
  void take_back(std::size_t bytes) override {
    std::lock_guard const lock{on_->mutex};
    on_->text.resize(on_->text.size() - bytes);
  }

 private:
  std::shared_ptr<disk> on_;
};

class log_writer_test : public testing::Test {
 protected:
  [[nodiscard]] log_writer make(std::size_t room = 100) const {
    return {"log", std::make_unique<disk_target>(its), room};
  }
  std::shared_ptr<disk> its{std::make_shared<disk>()};
};

TEST_F(log_writer_test, lines_are_written_in_their_order) {
  auto log = make();
  EXPECT_TRUE(log.put("one"));
  EXPECT_TRUE(log.put("two"));
  log.finish(patience);
  EXPECT_EQ(its->text, "one\ntwo\n");
  EXPECT_EQ(log.counts().written, 2u);
  EXPECT_EQ(log.counts().lost, 0u);
}

TEST_F(log_writer_test, a_stalled_disk_holds_up_neither_lines_nor_the_end_and_what_it_costs_is_counted) {
  its->is_stalled = true;
  auto log = make();
  for (int n = 0; n < 1000; ++n) {
    (void)log.put("123456789");
    log.flush();
  }
  EXPECT_EQ(log.counts().lost, 990u) << "100 bytes hold ten lines";
  log.finish(none);
  EXPECT_EQ(log.counts().lost, 1000u);
  EXPECT_EQ(log.counts().written, 0u);
  its->set([this] { its->is_stalled = false; });
}

TEST_F(log_writer_test, a_disk_that_has_room_again_gets_what_waited_and_what_comes) {
  its->error = ENOSPC;
  auto log = make();
  for (int n = 0; n < 12; ++n) (void)log.put("123456789");
  log.flush();
  its->wait_for([this] { return its->attempts > 1; });
  EXPECT_EQ(log.counts().lost, 2u);
  its->set([this] { its->error = 0; });
  its->wait_for([this] { return its->text.size() == 100; });
  while (log.counts().written != 10) std::this_thread::yield();
  EXPECT_TRUE(log.put("later"));
  log.finish(patience);
  EXPECT_TRUE(its->text.ends_with("\nlater\n"));
  EXPECT_EQ(log.counts().written, 11u);
  EXPECT_EQ(log.counts().lost, 2u);
}

TEST_F(log_writer_test, a_line_that_is_taken_in_part_goes_on_where_it_was_cut) {
  its->at_once = 2;
  auto log = make();
  for (auto const* const line : {"one", "two", "three"}) (void)log.put(line);
  log.finish(patience);
  EXPECT_EQ(its->text, "one\ntwo\nthree\n");
  EXPECT_EQ(log.counts().written, 3u);
}

TEST_F(log_writer_test, a_line_of_which_the_end_never_finds_room_leaves_the_log_again) {
  its->room = 15;
  auto log = make();
  for (int n = 0; n < 2; ++n) (void)log.put("123456789");
  log.flush();
  its->wait_for([this] { return its->text.size() == 15; });
  log.finish(none);
  EXPECT_EQ(its->text, "123456789\n");
  EXPECT_EQ(log.counts().written, 1u);
  EXPECT_EQ(log.counts().lost, 1u);
}

class log_file_test : public testing::Test {
 protected:
  log_file_test() { std::filesystem::remove(path_); }
  ~log_file_test() override { std::filesystem::remove(path_); }
  [[nodiscard]] unsigned mode() const {
    struct stat found {};
    EXPECT_EQ(::stat(path_.c_str(), &found), 0);
    return found.st_mode & 0777U;
  }
  [[nodiscard]] static std::string content(std::string const& path) {
    std::stringstream all;
    all << std::ifstream{path}.rdbuf();
    return all.str();
  }
  [[nodiscard]] std::string text() const { return content(path_); }
  std::string path_{testing::TempDir() + "log_file_" + std::to_string(::getpid())};
};

TEST_F(log_file_test, is_for_its_user_alone_whatever_the_umask) {
  for (auto const mask : {0U, 0777U}) {
    std::filesystem::remove(path_);
    auto const before = ::umask(mask);
    log_writer log{"log", make_log_file(path_), 100};
    (void)::umask(before);
    EXPECT_EQ(mode(), 0600U);
  }
}

TEST_F(log_file_test, keeps_what_is_there_and_the_mode_that_somebody_gave_it) {
  std::ofstream{path_} << "before\n";
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  log_writer log{"log", make_log_file(path_), 100};
  (void)log.put("after");
  log.finish(patience);
  EXPECT_EQ(text(), "before\nafter\n");
  EXPECT_EQ(mode(), 0640U);
}

TEST_F(log_file_test, ends_a_line_that_a_killed_process_has_left_before_the_next_one) {
  std::ofstream{path_} << "a whole one\nhalf";
  log_writer log{"log", make_log_file(path_), 100};
  (void)log.put("after");
  log.finish(patience);
  EXPECT_EQ(text(), "a whole one\nhalf\nafter\n");
}

TEST_F(log_file_test, takes_back_a_part_of_a_line_and_nothing_that_another_has_written_since) {
  auto const file = make_log_file(path_);
  EXPECT_EQ(file->write("whole\nhalf"), 10);
  file->take_back(4);
  EXPECT_EQ(text(), "whole\n");
  EXPECT_EQ(file->write("half"), 4);
  std::ofstream{path_, std::ios::app} << "another's";
  file->take_back(4);
  EXPECT_EQ(text(), "whole\nhalfanother's");
}

// logrotate renames the file, and sends SIGHUP.
TEST_F(log_file_test, opens_its_name_again_after_a_hang_up_and_cuts_no_line) {
  install_hang_up_signal();
  auto const file = make_log_file(path_);
  EXPECT_EQ(file->write("one\ntw"), 6);
  auto const old = path_ + ".1";
  std::filesystem::rename(path_, old);
  EXPECT_EQ(file->write("o"), 1);
  EXPECT_FALSE(std::filesystem::exists(path_)) << "no signal has come";
  ::raise(SIGHUP);
  EXPECT_EQ(file->write("!\n"), 2);
  EXPECT_EQ(file->write("three\n"), 6);
  EXPECT_EQ(file->write("four\n"), 5);
  EXPECT_EQ(content(old), "one\ntwo!\n");
  EXPECT_EQ(content(path_), "three\nfour\n");
  std::filesystem::remove(old);
}

// The file that it has is better than none.
TEST_F(log_file_test, keeps_its_file_if_its_name_cannot_be_opened_again) {
  install_hang_up_signal();
  auto const file = make_log_file(path_);
  auto const old = path_ + ".1";
  std::filesystem::rename(path_, old);
  std::filesystem::create_directory(path_);
  ::raise(SIGHUP);
  EXPECT_EQ(file->write("one\n"), 4);
  EXPECT_EQ(content(old), "one\n");
  std::filesystem::remove(path_);
  std::filesystem::remove(old);
}

TEST_F(log_file_test, a_fifo_gets_its_lines_when_its_reader_comes) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  log_writer log{"log", make_log_file(path_), 100};
  (void)log.put("early");
  log.flush();
  int const reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  log.finish(patience);
  char some[16]{};
  EXPECT_EQ(::read(reader, some, sizeof some), 6);
  EXPECT_STREQ(some, "early\n");
  (void)::close(reader);
}

TEST_F(log_file_test, another_users_link_or_file_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  constexpr uid_t other = 12345;
  ASSERT_EQ(::symlink("/dev/null", path_.c_str()), 0);
  ASSERT_EQ(::lchown(path_.c_str(), other, other), 0);
  EXPECT_THROW((void)make_log_file(path_), failure);
  std::filesystem::remove(path_);
  std::ofstream{path_} << "theirs";
  ASSERT_EQ(::chown(path_.c_str(), other, other), 0);
  EXPECT_THROW((void)make_log_file(path_), failure);
}

TEST_F(log_file_test, a_private_file_replaces_a_link_and_does_not_follow_it) {
  auto const elsewhere = path_ + ".elsewhere";
  std::ofstream{elsewhere} << "kept";
  ASSERT_EQ(::symlink(elsewhere.c_str(), path_.c_str()), 0);
  (void)::close(make_private_file(path_));
  EXPECT_EQ(std::filesystem::file_size(elsewhere), 4u);
  EXPECT_FALSE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(mode(), 0600U);
  std::filesystem::remove(elsewhere);
}

}  // namespace
}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "base/error.h"

namespace packetwarp::telemetry {
namespace {

using json = nlohmann::ordered_json;

constexpr std::chrono::seconds patience{30};

class event_log_test : public testing::Test {
 protected:
  event_log_test() { std::filesystem::remove(path_); }
  ~event_log_test() override { std::filesystem::remove(path_); }
  [[nodiscard]] std::vector<json> lines() const {
    std::vector<json> all;
    std::ifstream file{path_};
    for (std::string line; std::getline(file, line);) all.push_back(json::parse(line));
    return all;
  }
  std::string path_{testing::TempDir() + "event_log_" + std::to_string(::getpid()) + ".jsonl"};
};

TEST_F(event_log_test, an_event_is_an_object_on_a_line_with_its_time_and_name_first) {
  event_log log{path_};
  log.write("link_down", {{"port", 1}, {"name", "two\nlines \"and\" \xff"}});
  log.write("ended");
  log.finish(patience);
  auto const all = lines();
  ASSERT_EQ(all.size(), 2u);
  std::vector<std::string> keys;
  for (auto const& item : all[0].items()) keys.push_back(item.key());
  EXPECT_THAT(keys, testing::ElementsAre("time", "event", "port", "name"));
  EXPECT_EQ(all[0]["event"], "link_down");
  EXPECT_EQ(all[0]["port"], 1);
  EXPECT_EQ(all[0]["name"], "two\nlines \"and\" \xef\xbf\xbd");
  EXPECT_EQ(all[1].size(), 2u);
}

TEST_F(event_log_test, times_are_rfc_3339_in_utc) {
  event_log log{path_};
  log.write("started");
  log.finish(patience);
  EXPECT_THAT(lines()[0]["time"].get<std::string>(),
              testing::MatchesRegex(
                  "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\\.[0-9][0-9][0-9]"
                  "[0-9][0-9][0-9]Z"));
}

TEST_F(event_log_test, goes_on_behind_what_is_there) {
  for (auto const* const event : {"one", "two"}) {
    event_log log{path_};
    log.write(event);
    log.finish(patience);
  }
  EXPECT_EQ(lines().size(), 2u);
}

TEST_F(event_log_test, lines_of_several_threads_are_whole) {
  event_log log{path_};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&log, t] {
        for (int n = 0; n < 100; ++n) log.write("event", {{"number", t * 100 + n}});
      });
    }
  }
  log.finish(patience);
  std::set<int> numbers;
  for (auto const& line : lines()) numbers.insert(line["number"].get<int>());
  EXPECT_EQ(numbers.size(), 400u);
}

TEST_F(event_log_test, is_nothing_without_a_path) { event_log{}.write("event"); }

TEST_F(event_log_test, says_which_file_cannot_be_written) {
  try {
    event_log const log{"/nowhere/events.jsonl"};
    ADD_FAILURE() << "opened";
  } catch (failure const& wrong) {
    EXPECT_THAT(wrong.what(), testing::StartsWith("event log /nowhere/events.jsonl: No such file or directory"));
  }
}

TEST_F(event_log_test, events_that_a_full_disk_does_not_take_are_counted) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  event_log log{"/dev/full"};
  log.write("one");
  log.write("two");
  log.finish(std::chrono::milliseconds{1});
  EXPECT_EQ(log.counts()->lost, 2u);
  EXPECT_EQ(log.counts()->written, 0u);
}

TEST_F(event_log_test, a_fifo_that_nobody_reads_holds_up_nobody) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  event_log log{path_};
  std::string const text(1000, 'x');
  for (int n = 0; n < 2000; ++n) log.write("event", {{"text", text}});
  EXPECT_GT(log.counts()->lost, 800u);
  log.finish(std::chrono::milliseconds{1});
  EXPECT_EQ(log.counts()->lost + log.counts()->written, 2000u);
}

TEST_F(event_log_test, is_for_this_user_alone) {
  event_log const log{path_};
  struct stat found {};
  ASSERT_EQ(::stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

}  // namespace
}  // namespace packetwarp::telemetry

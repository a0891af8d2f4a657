// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "module/nat44/nat44_module.h"

namespace packetwarp {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

constexpr std::uint32_t sessions_of_file = 1000;

// Runs of a module with a log, each with the sessions that a file brings, of 203.0.113.1.
class nat44_run_log : public testing::Test {
 protected:
  nat44_run_log() {
    section_.config.pool = {{{0xcb00'7101}, {0xcb00'7101}}};
    section_.config.sessions = 4096;
    section_.config.per_host = 0;
    section_.config.per_prefix = 0;
    section_.config.interfaces = {nat::side::inside, nat::side::outside};
    section_.config.log_one_in = 1;
    section_.log = path_ + "_log";
    section_.log_room = std::size_t{64} << 10;  // less than all lines need
    nat::session_file_writer file{path_};
    for (std::uint32_t n = 0; n < sessions_of_file; ++n) {
      auto const port = static_cast<std::uint16_t>(2000 + n);
      file.add({nat::key_of(nat::transport::udp, {{0x0a00'0002}, port}),
                nat::key_of(nat::transport::udp, {{0xcb00'7101}, port}), 0, 0});
    }
    file.finish();
  }
  ~nat44_run_log() override {
    for (auto const& one : {path_, section_.log}) std::filesystem::remove(one);
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::ifstream file{section_.log};
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  std::string const path_ = testing::TempDir() + "nat44_run_log_" + std::to_string(::getpid());
  nat44_section section_;
};

TEST_F(nat44_run_log, says_that_a_run_starts_and_with_how_many_sessions) {
  section_.state = path_;
  nat44_module module{section_, {}};
  module.finish({});
  ASSERT_EQ(lines().size(), 1U) << "the state keeps the sessions, which do not end";
  EXPECT_THAT(lines().front(),
              AllOf(HasSubstr(R"({"time":"20)"), HasSubstr(R"("event":"run_started","restored":1000})")));
}

TEST_F(nat44_run_log, says_which_sessions_of_a_state_do_not_go_on) {
  section_.state = path_;
  section_.config.pool = {{{0xcb00'7102}, {0xcb00'7102}}};
  nat44_module module{section_, {}};
  module.finish({});
  auto said = lines();
  ASSERT_EQ(said.size(), sessions_of_file + 1);
  EXPECT_THAT(said.back(), HasSubstr(R"("event":"run_started","restored":0})"));
  said.pop_back();
  EXPECT_THAT(said, Each(AllOf(HasSubstr(R"("event":"ended","protocol":"udp","inside":"10.0.0.2:)"),
                               HasSubstr(R"("outside":"203.0.113.1:)"))));
  EXPECT_EQ(module.log_lines()->lost, 0U);
}

TEST_F(nat44_run_log, has_an_end_for_each_session_that_ends_with_its_run) {
  nat44_module module{section_, {}};
  ASSERT_EQ(module.table().part(0).restore(path_), sessions_of_file);
  module.finish({});
  auto said = lines();
  ASSERT_EQ(said.size(), sessions_of_file + 1);
  EXPECT_THAT(said.front(), HasSubstr(R"("event":"run_started","restored":0})"));
  said.erase(said.begin());
  EXPECT_THAT(said, Each(HasSubstr(R"("event":"ended","protocol":"udp","inside":"10.0.0.2:)")));
}

TEST_F(nat44_run_log, does_not_wait_long_for_a_reader_at_the_end_and_counts_what_is_lost) {
  ASSERT_EQ(::mkfifo(section_.log.c_str(), 0600), 0);
  nat44_module module{section_, {}};
  ASSERT_EQ(module.table().part(0).restore(path_), sessions_of_file);
  auto const begin = std::chrono::steady_clock::now();
  module.finish({});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20});
  auto const counts = module.log_lines();
  EXPECT_EQ(counts->written, 0U);
  EXPECT_EQ(counts->lost, sessions_of_file + 1);
}

}  // namespace
}  // namespace packetwarp

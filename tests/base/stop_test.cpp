// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/stop.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace packetwarp {
namespace {

class stop : public testing::Test {
 protected:
  void SetUp() override { clear_stop_request(); }
  void TearDown() override {
    clear_stop_request();
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
};

TEST_F(stop, drains_when_asked_once_and_abandons_when_asked_again) {
  EXPECT_EQ(stop_requested(), stop_request::none);
  request_stop();
  EXPECT_EQ(stop_requested(), stop_request::drain);
  request_stop();
  EXPECT_EQ(stop_requested(), stop_request::abandon);
  request_stop();
  EXPECT_EQ(stop_requested(), stop_request::abandon);
}

TEST_F(stop, forgets_requests_when_cleared) {
  request_stop();
  clear_stop_request();
  EXPECT_EQ(stop_requested(), stop_request::none);
}

TEST_F(stop, takes_either_signal_as_a_request) {
  install_stop_signals();
  std::raise(SIGINT);
  EXPECT_EQ(stop_requested(), stop_request::drain);
  std::raise(SIGTERM);
  EXPECT_EQ(stop_requested(), stop_request::abandon);
}

TEST_F(stop, is_seen_by_another_thread) {
  std::thread asker{request_stop};
  while (stop_requested() == stop_request::none) std::this_thread::yield();
  asker.join();
  EXPECT_EQ(stop_requested(), stop_request::drain);
}

using stop_death_test = stop;

TEST_F(stop_death_test, ends_the_process_on_the_third_signal) {
  EXPECT_EXIT(
      {
        install_stop_signals();
        for (int i = 0; i < 3; ++i) std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace packetwarp

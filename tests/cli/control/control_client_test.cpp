// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/control_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/log/log.h"

namespace packetwarp {
namespace {

std::string const again = R"({"status":1,"error":"no place","again":true})"
                          "\n";
std::string const done = R"({"status":0,"result":7})"
                         "\n";
std::string const wrong = R"({"status":1,"error":"it broke"})"
                          "\n";

enum class manners : std::uint8_t { listens, goes_at_once };

// Sends one answer to each client, and closes; later clients get the last answer.
class played_server {
 public:
  played_server(std::string const& path, std::vector<std::string> says, manners how = manners::listens)
      : says_{std::move(says)}, how_{how}, listening_{listen_at(path)}, plays_{[this](std::stop_token const& end) {
          while (!end.stop_requested()) serve_one();
        }} {}
  [[nodiscard]] std::size_t clients() const { return clients_; }

 private:
  void serve_one() {
    constexpr int milliseconds = 20;
    pollfd comes{.fd = listening_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&comes, 1, milliseconds) <= 0) return;
    owned_fd const one{::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!one) return;
    if (how_ == manners::listens) {
      std::array<char, 4096> some;
      if (::recv(one.get(), some.data(), some.size(), 0) <= 0) return;
    }
    auto const& says = says_[std::min<std::size_t>(clients_++, says_.size() - 1)];
    (void)::send(one.get(), says.data(), says.size(), MSG_NOSIGNAL);
  }

  std::vector<std::string> says_;
  manners how_;
  owned_fd listening_;
  std::atomic<std::size_t> clients_{};
  std::jthread plays_;
};

class asking : public testing::Test {
 protected:
  asking() { std::filesystem::remove(path_); }
  ~asking() override { std::filesystem::remove(path_); }

  static constexpr control_client_limits patient{.again = std::chrono::minutes{5},
                                                 .pause = std::chrono::milliseconds{1}};
  static constexpr control_client_limits hasty{.again = std::chrono::milliseconds{20},
                                               .pause = std::chrono::milliseconds{1}};
  [[nodiscard]] json ask(control_client_limits limits) const { return control_client{path_, limits}.ask(reload_); }
  [[nodiscard]] std::string why_not(control_client_limits limits) const {
    try {
      (void)ask(limits);
    } catch (failure const& error) {
      return error.what();
    }
    return "it was answered";
  }

  std::string const path_{testing::TempDir() + "control_client_" + std::to_string(::getpid()) + ".sock"};
  request const reload_{.command = "reload", .arguments = {}};
};

TEST_F(asking, goes_on_where_there_was_no_place) {
  played_server const server{path_, {again, again, done}};
  EXPECT_EQ(ask(patient), 7);
  EXPECT_EQ(server.clients(), 3u);
}

TEST_F(asking, goes_on_where_the_place_was_lost_before_the_request_was_sent) {
  played_server const server{path_, {again, again, again, again, done}, manners::goes_at_once};
  EXPECT_EQ(ask(patient), 7);
  EXPECT_EQ(server.clients(), 5u);
}

TEST_F(asking, goes_on_by_a_client_that_has_been_answered_before) {
  played_server const server{path_, {done + again, done}};
  control_client client{path_, patient};
  EXPECT_EQ(client.ask(reload_), 7);
  EXPECT_EQ(client.ask(reload_), 7);
  EXPECT_EQ(server.clients(), 2u);
}

TEST_F(asking, ends_with_the_servers_words_where_there_is_no_place_for_long) {
  played_server const server{path_, {again}};
  EXPECT_EQ(why_not(hasty), "no place");
  EXPECT_GT(server.clients(), 1u);
}

TEST_F(asking, ends_when_nobody_waits_for_it) {
  played_server const server{path_, {again}};
  control_client client{path_, patient};
  EXPECT_EQ(client.ask(reload_, [&] { return server.clients() < 3; }), std::nullopt);
}

TEST_F(asking, repeats_no_request_of_which_it_is_not_known_what_became_of_it) {
  played_server const server{path_, {"", done}};
  EXPECT_THAT(why_not(patient), testing::HasSubstr("whether the request was done is not known"));
  EXPECT_EQ(server.clients(), 1u);
}

TEST_F(asking, says_so_where_no_answer_comes_for_as_long_as_it_may_wait) {
  auto const silent = listen_at(path_);  // stopped: the kernel still takes clients and their requests
  EXPECT_THAT(why_not({.silence = std::chrono::milliseconds{1}, .then = at_silence::fail}),
              testing::HasSubstr("packetwarp has not answered for 0.001 s; it may be stopped"));
}

TEST_F(asking, waits_on_for_the_answer_to_a_change_and_says_so_once) {
  auto const silent = listen_at(path_);
  testing::internal::CaptureStderr();
  control_client client{path_, {.silence = std::chrono::milliseconds{1}}};
  int waits = 0;
  EXPECT_EQ(client.ask(reload_, [&] { return ++waits < 4; }), std::nullopt);
  log().flush();
  auto const said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr("packetwarp has not answered for 0.001 s"));
  EXPECT_THAT(said, testing::HasSubstr("waits on"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 1);
}

TEST_F(asking, repeats_no_request_that_failed) {
  played_server const server{path_, {wrong, done}};
  EXPECT_EQ(why_not(patient), "it broke");
  EXPECT_EQ(server.clients(), 1u);
}

// A queue of clients that wait to be accepted, with no room for another.
[[nodiscard]] std::vector<owned_fd> fill_queue(std::string const& path) {
  std::vector<owned_fd> waiting;
  try {
    for (;;) waiting.push_back(connect_at_once(path));
  } catch (failure const&) {
    return waiting;
  }
}

TEST_F(asking, waits_where_as_many_wait_to_be_accepted_as_may) {
  auto const listening = listen_at(path_);
  auto const waiting = fill_queue(path_);
  ASSERT_FALSE(waiting.empty());
  control_client client{path_, patient};
  std::jthread const serves{[&] {
    for (std::size_t n = 0; n < waiting.size(); ++n) (void)owned_fd{::accept4(listening.get(), nullptr, nullptr, 0)};
    owned_fd asks;
    while (!asks) asks = owned_fd{::accept4(listening.get(), nullptr, nullptr, 0)};
    (void)::send(asks.get(), done.data(), done.size(), MSG_NOSIGNAL);
    std::array<char, 4096> some;
    (void)::recv(asks.get(), some.data(), some.size(), 0);
  }};
  EXPECT_EQ(client.ask(reload_), 7);
}

TEST_F(asking, says_so_where_as_many_wait_to_be_accepted_as_may_for_long) {
  auto const listening = listen_at(path_);
  auto const waiting = fill_queue(path_);
  EXPECT_THAT(why_not(hasty), testing::HasSubstr("its queue of waiting clients is full"));
  EXPECT_EQ((control_client{path_, patient}.ask(reload_, [] { return false; })), std::nullopt);
}

}  // namespace
}  // namespace packetwarp

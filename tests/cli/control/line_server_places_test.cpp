// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The clients that have places while more come than the server has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "cli/control/serving.h"

namespace packetwarp {
namespace {

// While it exists, no descriptor can be opened.
class no_descriptors {
 public:
  no_descriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    int const next = ::dup(0);
    rlimit const none{.rlim_cur = static_cast<rlim_t>(next), .rlim_max = before_.rlim_max};
    (void)::close(next);
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  no_descriptors(no_descriptors const&) = delete;
  no_descriptors& operator=(no_descriptors const&) = delete;
  ~no_descriptors() { (void)::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(serving, one_client_too_many_is_told_so_while_all_others_are_being_answered) {
  auto server = make({.clients = 2});
  auto const one = connect_to(path_);
  auto const two = connect_to(path_);
  send(one, "slow 9\n");
  send(two, "slow 9\n");
  poll(server, 3);
  auto const three = connect_to(path_);
  poll(server, 3);
  EXPECT_EQ(receive(three), "no place: 2 clients are being answered already; connect again\n");
  EXPECT_EQ(server.clients(), 2u);
  poll(server, 20);
  EXPECT_EQ(receive(one), "9 wols\n");
  EXPECT_EQ(receive(two), "9 wols\n");
}

TEST_F(serving, silent_clients_keep_no_other_out_and_the_one_that_is_idle_for_longest_goes_first) {
  auto server = make({.clients = 4});
  std::vector<owned_fd> silent;
  auto now = clock::time_point{};
  for (int n = 0; n < 100; ++n) {
    silent.push_back(connect_to(path_));
    server.poll(now += std::chrono::milliseconds{1});
  }
  EXPECT_EQ(server.clients(), 4u);
  auto const asks = connect_to(path_);
  send(asks, "quick\n");
  poll(server, 2, now);
  EXPECT_EQ(receive(asks), "kciuq\n");
  EXPECT_THAT(receive(silent[96]), testing::StartsWith("no place: another client has come"));
  EXPECT_EQ(receive(silent[97]), "") << "it is still connected";
}

TEST_F(serving, a_client_whose_request_waits_for_its_turn_stays_while_there_are_clients_that_have_asked_nothing) {
  auto server = make({.clients = 3});
  auto now = clock::time_point{};
  auto const works = connect_to(path_);
  auto const waits = connect_to(path_);
  send(works, "slow 9\n");
  send(waits, "first\n");
  auto const silent = connect_to(path_);
  server.poll(now);
  auto const asks = connect_to(path_);
  send(asks, "quick\n");
  server.poll(now += std::chrono::seconds{1});
  EXPECT_THAT(receive(silent), testing::StartsWith("no place: another client has come"));
  poll(server, 20, now);
  EXPECT_EQ(receive(waits), "tsrif\n");
  EXPECT_EQ(receive(asks), "kciuq\n");
  EXPECT_EQ(receive(works), "9 wols\n");
}

TEST_F(serving, of_many_that_come_at_once_and_ask_as_many_as_have_places_are_answered_and_each_other_one_is_told) {
  auto server = make({.clients = 4});
  std::vector<owned_fd> clients;
  for (int n = 0; n < 40; ++n) {
    clients.push_back(connect_to(path_));
    send(clients.back(), "slow 9\n");
  }
  poll(server, 100);
  for (std::size_t n = 0; n < clients.size(); ++n) {
    EXPECT_EQ(receive(clients[n]),
              n < 4 ? "9 wols\n" : "no place: 4 clients are being answered already; connect again\n");
  }
}

TEST_F(serving, a_client_that_has_gone_when_it_is_accepted_takes_nobodys_place) {
  auto server = make({.clients = 1});
  auto const idle = connect_to(path_);
  poll(server);
  for (int n = 0; n < 5; ++n) (void)connect_to(path_);
  poll(server);
  EXPECT_EQ(receive(idle), "");
  EXPECT_EQ(server.clients(), 1u);
}

// A client that is worked for, and beside it one that has a long answer to take.
class answering : public serving {
 protected:
  answering() {
    send(works_, "slow 9\n");
    send(reads_, "long\n");
    poll(server_, 3, now_);
    EXPECT_EQ(receive(reads_).front(), 'x');
  }
  // Whether a new client gets a place.
  bool is_let_in() {
    auto const comes = connect_to(path_);
    send(comes, "quick\n");
    server_.poll(now_);
    return !receive(comes).starts_with("no place");
  }
  void take_a_part() {
    server_.poll(now_);
    EXPECT_EQ(receive(reads_).front(), 'x');
    server_.poll(now_);
  }
  clock::time_point now_{};
  line_server server_{path_,
                      [](std::string_view line) -> request_work {
                        if (line.starts_with("long")) return turn(line);
                        return [] { return std::optional<std::string>{}; };
                      },
                      [](std::string_view why, refused) { return "no place: " + std::string{why}; },
                      {.clients = 2}};
  owned_fd works_{connect_to(path_)};
  owned_fd reads_{connect_to(path_)};
};

TEST_F(answering, a_client_that_takes_its_answer_keeps_its_place_and_one_that_is_silent_about_it_does_not) {
  for (int n = 0; n < 5; ++n) {
    now_ += std::chrono::seconds{1};
    EXPECT_FALSE(is_let_in());
    take_a_part();
  }
  now_ += std::chrono::seconds{3};
  EXPECT_TRUE(is_let_in());
  std::string last;
  for (auto some = receive(reads_); some != "<closed>" && !some.empty(); some = receive(reads_)) last = some;
  EXPECT_EQ(last.back(), 'x') << "nothing else is said within an answer";
}

TEST_F(answering, a_client_that_takes_its_answer_bit_by_bit_for_long_gives_its_place) {
  for (int n = 0; n < 10; ++n) {
    take_a_part();
    now_ += std::chrono::seconds{1};
  }
  take_a_part();
  EXPECT_TRUE(is_let_in());
}

TEST_F(serving, a_client_that_has_had_an_answer_gives_its_place_before_another_one_is_refused) {
  auto server = make({.clients = 2});
  auto const works = connect_to(path_);
  auto const asks_much = connect_to(path_);
  send(works, "slow 9\n");
  send(asks_much, "one\ntwo\nthree\n");
  poll(server, 2);
  auto const comes = connect_to(path_);
  send(comes, "quick\n");
  poll(server, 4);
  EXPECT_THAT(receive(asks_much), testing::StartsWith("eno\nno place: another client has come"));
  EXPECT_EQ(receive(comes), "kciuq\n");
}

TEST_F(serving, a_client_that_waits_for_its_turn_is_not_left_as_a_silent_one) {
  auto server = make({.rest = 1'000'000});
  auto const works = connect_to(path_);
  auto const waits = connect_to(path_);
  send(works, "slow 9\n");
  send(waits, "first\n");
  server.poll(clock::time_point{});
  server.poll(clock::time_point{} + std::chrono::minutes{5});
  EXPECT_EQ(server.clients(), 2u);
}

TEST_F(serving, when_descriptors_run_out_a_new_client_gets_that_of_an_idle_one) {
  auto server = make();
  std::vector<owned_fd> silent;
  for (int n = 0; n < 3; ++n) silent.push_back(connect_to(path_));
  poll(server);
  auto const asks = connect_to(path_);
  send(asks, "quick\n");
  {
    no_descriptors const none;
    poll(server, 4);
  }
  EXPECT_EQ(receive(asks), "kciuq\n");
}

}  // namespace
}  // namespace packetwarp

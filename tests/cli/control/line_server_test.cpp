// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control/line_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/error.h"
#include "cli/control/serving.h"

namespace packetwarp {
namespace {

TEST_F(serving, lines_are_answered_by_lines_in_their_order) {
  auto server = make();
  auto const client = connect_to(path_);
  send(client, "one\ntwo\nth");
  poll(server, 6);
  EXPECT_EQ(receive(client), "eno\nowt\n");
  send(client, "ree\n");
  poll(server);
  EXPECT_EQ(receive(client), "eerht\n");
}

TEST_F(serving, a_client_whose_answer_takes_long_keeps_no_other_waiting) {
  auto server = make();
  auto const slow = connect_to(path_);
  auto const other = connect_to(path_);
  send(slow, "slow 9\n");
  poll(server, 4);
  send(other, "quick\n");
  poll(server, 3);
  EXPECT_EQ(receive(slow), "");
  EXPECT_EQ(receive(other), "kciuq\n");
  poll(server, 9);
  EXPECT_EQ(receive(slow), "9 wols\n");
}

TEST_F(serving, a_client_that_does_not_take_its_answer_keeps_no_other_waiting_and_is_left_after_a_while) {
  auto server = make();
  auto const deaf = connect_to(path_);
  send(deaf, "long\nnever heard\n");
  poll(server, 9);
  auto const other = connect_to(path_);
  send(other, "quick\n");
  poll(server);
  EXPECT_EQ(receive(other), "kciuq\n");
  EXPECT_EQ(server.clients(), 2u);
  poll(server, 1, clock::time_point{} + std::chrono::minutes{5});
  EXPECT_EQ(server.clients(), 0u);
}

TEST_F(serving, all_of_a_long_answer_arrives) {
  auto server = make();
  auto const client = connect_to(path_);
  send(client, "long\n");
  std::string all;
  for (int i = 0; i < 1000 && !all.ends_with('\n'); ++i) {
    poll(server, 1);
    all += receive(client);
  }
  EXPECT_EQ(all.size(), (1U << 22) + 1);
}

TEST_F(serving, a_line_that_is_too_long_is_refused_and_the_connection_ends) {
  auto server = make({.request = 16});
  auto const fits = connect_to(path_);
  send(fits, "123456789012345\n");
  poll(server);
  EXPECT_EQ(receive(fits), "543210987654321\n");
  auto const client = connect_to(path_);
  send(client, "1234567890123456");
  poll(server);
  EXPECT_EQ(receive(client), "no: the request is longer than 16 bytes\n");
  EXPECT_EQ(receive(client), "<closed>");
}

TEST_F(serving, a_poll_works_for_one_client_however_many_ask) {
  int worked = 0;
  line_server server{path_,
                     [&](std::string_view) -> request_work {
                       return [&] {
                         ++worked;
                         return worked > 100 ? std::optional{std::string{"end"}} : std::nullopt;
                       };
                     },
                     [](std::string_view why, refused) { return std::string{why}; }};
  std::vector<owned_fd> clients;
  for (int n = 0; n < 16; ++n) {
    clients.push_back(connect_to(path_));
    send(clients.back(), std::string(5000, 'x') + '\n');
  }
  for (int n = 1; n <= 50; ++n) {
    server.poll(clock::time_point{});
    ASSERT_EQ(worked, n);
  }
  poll(server, 100, clock::time_point{});
  for (auto const& one : clients) EXPECT_EQ(receive(one), "end\n") << "each comes to its turn";
}

TEST_F(serving, a_slice_of_work_is_followed_by_a_rest_that_is_as_many_times_as_long_as_it_was) {
  int worked = 0;
  auto const work = [&](std::string_view) -> request_work {
    return [&]() -> std::optional<std::string> {
      ++worked;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
      return std::nullopt;
    };
  };
  line_server server{path_, work, [](std::string_view why, refused) { return std::string{why}; }, {.rest = 1'000'000}};
  auto const client = connect_to(path_);
  auto const other = connect_to(path_);
  send(client, "work\n");
  send(other, "work\n");
  poll(server, 100, clock::time_point{});
  EXPECT_EQ(worked, 1);
}

TEST_F(serving, bytes_without_an_end_or_a_meaning_cost_no_more_than_a_request) {
  auto server = make({.request = 1024});
  auto const endless = connect_to(path_);
  std::string const garbage(512, '\xff');
  for (int n = 0; n < 8; ++n) {
    (void)::send(endless.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    poll(server, 1);
  }
  EXPECT_EQ(server.clients(), 0u);
  auto const other = connect_to(path_);
  send(other, "quick\n");
  poll(server);
  EXPECT_EQ(receive(other), "kciuq\n");
}

TEST_F(serving, a_line_without_an_end_costs_no_more_than_a_request_while_the_server_rests) {
  auto const work = [](std::string_view) -> request_work {
    return [] {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
      return std::optional<std::string>{};
    };
  };
  line_server server{path_,
                     work,
                     [](std::string_view why, refused) { return std::string{why}; },
                     {.request = 1024, .rest = 1'000'000}};
  auto const busy = connect_to(path_);
  send(busy, "work\n");
  poll(server);
  auto const endless = connect_to(path_);
  std::string const some(16384, 'x');
  std::size_t taken = 0;
  constexpr std::size_t enough = std::size_t{64} << 20;
  for (int refusals = 0; refusals < 3 && taken < enough;) {
    auto const n = ::send(endless.get(), some.data(), some.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0) ++refusals;
    if (n > 0) taken += static_cast<std::size_t>(n);
    poll(server);
  }
  EXPECT_LT(taken, enough) << "only the socket's own buffers fill";
}

TEST_F(serving, clients_that_go_away_are_forgotten) {
  auto server = make();
  {
    auto const client = connect_to(path_);
    send(client, "slow 5\n");
    poll(server, 1);
    EXPECT_EQ(server.clients(), 1u);
  }
  poll(server, 12);
  EXPECT_EQ(server.clients(), 0u);
}

TEST_F(serving, only_this_user_may_connect_and_the_path_goes_with_the_server) {
  {
    auto const server = make();
    struct stat found {};
    ASSERT_EQ(::stat(path_.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0600U);
    EXPECT_EQ(state_of_socket(path_), socket_state::live);
  }
  EXPECT_EQ(state_of_socket(path_), socket_state::absent);
}

TEST_F(serving, a_socket_that_a_killed_process_left_is_replaced_and_a_live_one_is_not) {
  auto const child = ::fork();
  if (child == 0) {
    auto const left = listen_at(path_);
    ::_exit(0);  // nothing takes the path away
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(state_of_socket(path_), socket_state::stale);
  auto const server = make();
  EXPECT_THROW((void)make(), usage_error);
  EXPECT_EQ(state_of_socket(path_), socket_state::live);
}

TEST_F(serving, a_file_that_is_no_socket_is_left_alone) {
  std::ofstream{path_} << "precious";
  EXPECT_THROW((void)make(), usage_error);
  EXPECT_EQ(std::filesystem::file_size(path_), 8u);
  std::filesystem::remove(path_);
}

TEST_F(serving, paths_that_no_socket_can_have_are_refused) {
  EXPECT_THROW((void)listen_at(std::string(200, 'a')), usage_error);
  EXPECT_THROW((void)listen_at(""), usage_error);
  EXPECT_THROW((void)listen_at(testing::TempDir() + "no_such_folder/x.sock"), failure);
}

TEST_F(serving, who_connects_where_nobody_listens_is_told_what_to_do) {
  try {
    (void)connect_to(path_);
    FAIL();
  } catch (failure const& error) {
    EXPECT_NE(std::string_view{error.what()}.find("packetwarp run"), std::string_view::npos) << error.what();
  }
}

}  // namespace
}  // namespace packetwarp

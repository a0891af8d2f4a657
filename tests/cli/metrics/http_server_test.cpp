// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include "base/error.h"

namespace packetwarp {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A server on a free port that answers with the path it was asked for.
class http_serving : public testing::Test {
 protected:
  explicit http_serving(http_limits limits = {})
      : server_{{},
                [](http_request const& asked, http_server::clock::time_point) {
                  return http_response{.body = asked.path};
                },
                limits},
        thread_{[this](std::stop_token const& stop) { server_.serve(stop); }} {}

  [[nodiscard]] owned_fd connect() const {
    owned_fd made{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    connect(made, server_);
    return made;
  }
  static void connect(owned_fd const& by, http_server const& server) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(server.address().port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(by.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  static void send(owned_fd const& to, std::string_view text) {
    ASSERT_EQ(::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // All up to the end of the connection.
  static std::string receive(owned_fd const& from) {
    std::string all;
    std::array<char, 65536> some;
    for (ssize_t n = 0; (n = ::recv(from.get(), some.data(), some.size(), 0)) > 0;) {
      all.append(some.data(), static_cast<std::size_t>(n));
    }
    return all;
  }
  [[nodiscard]] std::string ask(std::string_view text) const {
    auto const one = connect();
    send(one, text);
    return receive(one);
  }

  http_server server_;
  std::jthread thread_;
};

TEST_F(http_serving, a_request_is_answered_and_the_connection_ends) {
  auto const said = ask("GET /page?x HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(said, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(said, EndsWith("\r\n\r\n/page"));
}

TEST_F(http_serving, a_request_may_come_in_pieces) {
  auto const one = connect();
  for (auto const c : std::string_view{"GET /slow HTTP/1.0\r\n\r\n"}) send(one, {&c, 1});
  EXPECT_THAT(receive(one), EndsWith("/slow"));
}

TEST_F(http_serving, what_is_no_request_is_told_so) {
  EXPECT_THAT(ask("what?\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("DELETE / HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(ask(std::string(8192, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(http_serving, a_silent_client_holds_up_nobody) {
  auto const silent = connect();
  auto const half = connect();
  send(half, "GET /half");
  EXPECT_THAT(ask("GET /other HTTP/1.0\r\n\r\n"), EndsWith("/other"));
  send(half, " HTTP/1.0\r\n\r\n");
  EXPECT_THAT(receive(half), EndsWith("/half"));
}

TEST_F(http_serving, more_silent_clients_than_places_hold_up_nobody) {
  std::vector<owned_fd> silent;
  for (int n = 0; n < 200; ++n) silent.push_back(connect());
  EXPECT_THAT(ask("GET /healthz HTTP/1.0\r\n\r\n"), EndsWith("/healthz"));
  auto const end = std::count_if(silent.begin(), silent.end(), [](owned_fd const& one) {
    char none{};
    return ::recv(one.get(), &none, 1, MSG_DONTWAIT) == 0;
  });
  EXPECT_GE(end, 200 - 64);
}

TEST_F(http_serving, without_a_descriptor_a_client_is_turned_away_and_the_thread_sleeps) {
  owned_fd const late{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  timespec before{}, after{};
  clockid_t its{};
  ASSERT_EQ(::pthread_getcpuclockid(thread_.native_handle(), &its), 0);
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  owned_fd const next{::dup(0)};
  rlimit const none{.rlim_cur = static_cast<rlim_t>(next.get()), .rlim_max = usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  (void)::clock_gettime(its, &before);
  connect(late, server_);
  EXPECT_EQ(receive(late), "");
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  (void)::clock_gettime(its, &after);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  auto const milliseconds = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
  EXPECT_LT(milliseconds, 100) << "of CPU time, in 300 ms: it does not ask again and again";
  EXPECT_THAT(ask("GET /after HTTP/1.0\r\n\r\n"), EndsWith("/after"));
}

TEST_F(http_serving, a_client_that_goes_away_is_forgotten) {
  for (int n = 0; n < 100; ++n) {
    auto const one = connect();
    send(one, "GET /");
  }
  EXPECT_THAT(ask("GET /after HTTP/1.0\r\n\r\n"), EndsWith("/after"));
}

TEST_F(http_serving, a_port_that_is_taken_is_one_line) {
  try {
    http_server const other{server_.address(), {}};
    ADD_FAILURE() << "two listen there";
  } catch (failure const& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("is in use; give another port"));
  }
}

TEST_F(http_serving, an_address_of_another_machine_is_one_line) {
  EXPECT_THROW(http_server({.host = "192.0.2.1", .port = 0}, {}), failure);
}

TEST_F(http_serving, it_stops_with_clients_connected) {
  auto const silent = connect();
  EXPECT_THAT(ask("GET /x HTTP/1.0\r\n\r\n"), EndsWith("/x"));
  thread_.request_stop();
  thread_.join();
}

// Without patience: a client that has not asked at the server's first poll loses its connection.
class impatient_http_serving : public http_serving {
 protected:
  impatient_http_serving()
      : http_serving{{.connections = 1,
                      .head = 8192,
                      .head_patience = std::chrono::seconds{0},
                      .patience = std::chrono::seconds{0}}} {}
};

TEST_F(impatient_http_serving, clients_whose_time_is_over_make_room_for_others) {
  std::vector<owned_fd> silent;
  for (int n = 0; n < 2; ++n) silent.push_back(connect());
  for (auto const& one : silent) EXPECT_EQ(receive(one), "");
}

// While the master makes no report, the answers of a poll wait, and more requests come.
TEST_F(http_serving, requests_that_have_come_are_read_however_late_and_wait_for_their_answers_together) {
  std::vector<http_server::clock::time_point> untils;
  http_server server{{},
                     [&](http_request const& asked, http_server::clock::time_point until) {
                       untils.push_back(until);
                       return http_response{.body = asked.path};
                     },
                     {.head_patience = std::chrono::seconds{0}}};
  std::vector<owned_fd> clients;
  for (int n = 0; n < 3; ++n) {
    clients.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    connect(clients.back(), server);
    send(clients.back(), "GET /late HTTP/1.0\r\n\r\n");
  }
  std::jthread thread{[&](std::stop_token const& stop) { server.serve(stop); }};
  for (auto const& one : clients) EXPECT_THAT(receive(one), EndsWith("/late"));
  thread.request_stop();
  thread.join();
  ASSERT_EQ(untils.size(), 3u);
  EXPECT_EQ(untils[0], untils[1]);
  EXPECT_EQ(untils[1], untils[2]);
}

}  // namespace
}  // namespace packetwarp

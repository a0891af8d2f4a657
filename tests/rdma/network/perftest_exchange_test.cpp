// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/perftest_exchange.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <future>
#include <string>
#include <thread>

#include "base/error.h"

namespace packetwarp::rdma {
namespace {

using namespace std::chrono_literals;

// A TCP port of the loopback that is free now.
std::uint16_t free_port() {
  int const one = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof here;
  EXPECT_EQ(::bind(one, reinterpret_cast<sockaddr*>(&here), sizeof here), 0);
  EXPECT_EQ(::getsockname(one, reinterpret_cast<sockaddr*>(&here), &bytes), 0);
  ::close(one);
  return ntohs(here.sin_port);
}

std::vector<queue_key> keys(std::uint32_t count, std::uint32_t first) {
  std::vector<queue_key> made;
  for (std::uint32_t n = 0; n < count; ++n)
    made.push_back({.number = first + n, .psn = 7 * n, .rkey = 9, .address = 0x1000 * n, .gid = gid_of({first})});
  return made;
}

TEST(perftest_exchange, both_ends_learn_the_others_keys_and_results) {
  auto const port = free_port();
  auto serving = std::async(std::launch::async, [&] {
    perftest_exchange server{tcp_stream::accept("127.0.0.1", port), exchange_role::server};
    server.agree_on_version();
    EXPECT_EQ(server.agree_on_cycle(), 4096U);
    EXPECT_EQ(server.agree_on_mtu(1024), 512U);
    auto const own = keys(3, 100);
    EXPECT_EQ(server.trade_keys(own), keys(3, 200));
    server.synchronize(own[0]);
    server.await_end(own[0]);
    auto const told = server.trade_result({});
    server.close(own[0], [] {});
    return told;
  });
  perftest_exchange client{tcp_stream::connect("127.0.0.1", port, 20s), exchange_role::client};
  client.agree_on_version();
  EXPECT_EQ(client.peer_version(), "6.06");
  EXPECT_EQ(client.agree_on_cycle(), 4096U);
  EXPECT_EQ(client.agree_on_mtu(512), 512U);
  auto const own = keys(3, 200);
  EXPECT_EQ(client.trade_keys(own), keys(3, 100));
  client.synchronize(own[0]);
  client.synchronize(own[0]);
  (void)client.trade_result({.bytes = 64, .iterations = 1000, .peak = 1.5, .average = 1.25, .messages = 0.75});
  client.close(own[0], [] {});
  auto const told = serving.get();
  EXPECT_EQ(told.bytes, 64U);
  EXPECT_EQ(told.iterations, 1000U);
  EXPECT_EQ(told.peak, 1.5);
  EXPECT_EQ(told.average, 1.25);
  EXPECT_EQ(told.messages, 0.75);
}

// close() of either end returns after both have ended their traffic.
TEST(perftest_exchange, no_end_leaves_before_both_have_ended_their_traffic) {
  auto const port = free_port();
  std::atomic<int> ended{0};
  std::atomic<int> ended_when_the_server_left{0};
  auto serving = std::async(std::launch::async, [&] {
    perftest_exchange server{tcp_stream::accept("127.0.0.1", port), exchange_role::server};
    server.close(keys(1, 1)[0], [&] { ++ended; });
    ended_when_the_server_left = ended.load();
  });
  perftest_exchange client{tcp_stream::connect("127.0.0.1", port, 20s), exchange_role::client};
  client.close(keys(1, 2)[0], [&] {
    EXPECT_EQ(ended, 1) << "the server answers after the end of its traffic";
    // Time for a server that would not wait.
    std::this_thread::sleep_for(100ms);
    ++ended;
  });
  EXPECT_EQ(ended, 2);
  serving.get();
  EXPECT_EQ(ended_when_the_server_left, 2);
}

// The line of a client whose server says this, and then nothing.
std::string line_of(std::string said, std::chrono::milliseconds limit = 20s) {
  auto const port = free_port();
  std::jthread const server{[&] {
    auto const stream = tcp_stream::accept("127.0.0.1", port);
    stream.write(std::as_bytes(std::span{said}), 20s);
    std::byte last{};
    try {
      for (;;) stream.read({&last, 1}, 20s);
    } catch (failure const&) {
      // The client has closed.
    }
  }};
  try {
    perftest_exchange client{tcp_stream::connect("127.0.0.1", port, 20s), exchange_role::client, limit};
    client.agree_on_version();
    (void)client.agree_on_cycle();
    (void)client.agree_on_mtu(1024);
    (void)client.trade_keys(keys(1, 1));
  } catch (failure const& error) {
    return error.what();
  }
  return {};
}

std::string version(std::string_view text) {
  std::string made{text};
  made.resize(16);
  return made;
}
std::string const cycle{"\0\0\x10\0\0\0\0\x40", 8};

TEST(perftest_exchange, a_peer_of_another_version_is_one_clear_line) {
  EXPECT_NE(line_of(version("5.50")).find("announces version '5.50' of perftest's exchange; 5.70 or later is needed"),
            std::string::npos);
  EXPECT_NE(line_of(version("HTTP/1.1 400 Bad")).find("announces version 'HTTP/1.1 400 Bad'"), std::string::npos);
}
TEST(perftest_exchange, other_words_than_expected_are_one_clear_line) {
  EXPECT_NE(line_of(version("6.06") + std::string{"\x7f\xff\xff\xff\0\0\0\x40", 8})
                .find("asks for a cycle of 2147483647 bytes"),
            std::string::npos);
  EXPECT_NE(line_of(version("6.06") + cycle + std::string{"9\0", 2}).find("sends '9"), std::string::npos);
  EXPECT_NE(
      line_of(version("6.06") + cycle + std::string{"3\0", 2} + std::string(108, 'x')).find("is no key of a queue"),
      std::string::npos);
  EXPECT_NE(line_of(version("6.06"), 100ms).find("says nothing"), std::string::npos);
}

TEST(perftest_exchange, a_server_that_is_not_there_is_one_clear_line) {
  try {
    (void)tcp_stream::connect("127.0.0.1", free_port(), 0s);
    FAIL();
  } catch (failure const& error) {
    EXPECT_NE(std::string{error.what()}.find("start the server first"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace packetwarp::rdma

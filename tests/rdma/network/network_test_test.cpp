// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/network_test.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <future>
#include <limits>
#include <span>
#include <string>

#include "base/error.h"
#include "rdma/bandwidth/pattern.h"
#include "rdma/shm/shm_endpoint.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t queues = 2, posts = 4;

[[nodiscard]] std::uint16_t a_free_port() {
  int const one = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof here;
  EXPECT_EQ(::bind(one, reinterpret_cast<sockaddr*>(&here), bytes), 0);
  EXPECT_EQ(::getsockname(one, reinterpret_cast<sockaddr*>(&here), &bytes), 0);
  ::close(one);
  return ntohs(here.sin_port);
}

// The line of an end that fails.
[[nodiscard]] std::string line_of(std::function<void()> const& work) {
  try {
    work();
  } catch (failure const& wrong) {
    return wrong.what();
  }
  return "all right";
}

using work_of_end = std::function<void(network_bandwidth&, endpoint&)>;

// Runs a client and a server in shared memory, and returns the server's line.
[[nodiscard]] std::string line_of_server(work_of_end const& of_client, work_of_end const& of_server) {
  auto const port = a_free_port();
  auto const run = [&](peer_settings const& peer, work_of_end const& work) {
    return line_of([&] {
      shm_endpoint end{{.queues = queues, .posts = posts, .area = area_for(4096)}};
      connected_pair pair{end, peer};
      network_bandwidth test{pair};
      work(test, end);
    });
  };
  auto serving = std::async(std::launch::async, run, peer_settings{.listen = "127.0.0.1", .tcp_port = port}, of_server);
  (void)run({.server = "127.0.0.1", .tcp_port = port}, of_client);
  return serving.get();
}

// A client that writes 64 bytes, and a server that compares them after `spoil` has changed its memory.
[[nodiscard]] std::string line_of_check(std::function<void(endpoint&)> const& spoil) {
  return line_of_server([](auto& test, auto&) { test.tell(test.run(64, posts, 3), posts, queues); },
                        [&](auto& test, auto& end) {
                          auto const told = test.await();
                          EXPECT_EQ(test.check(told, queues), 64U * posts * 3 * queues);
                          spoil(end);
                          (void)test.check(told, queues);
                        });
}

// The server's line if a client tells this.
[[nodiscard]] std::string line_of_telling(write_test_result const& told) {
  return line_of_server([&](auto& test, auto&) { test.tell(told, posts, queues); },
                        [](auto& test, auto&) { (void)test.check(test.await(), queues); });
}

TEST(network_bandwidth, finds_each_byte_that_no_write_has_changed_so) {
  constexpr std::size_t written = 64 * posts * 3;
  EXPECT_EQ(line_of_check([](auto&) {}), "all right");
  for (std::size_t const at : {std::size_t{0}, written - 1, written, std::size_t{2000}, std::size_t{4095},
                               std::size_t{4096}, std::size_t{65535}})
    EXPECT_NE(line_of_check([at](auto& end) {
                end.target(1)[at] ^= std::byte{0x81};
              }).find("byte " + std::to_string(at) + " of queue 1's target"),
              std::string::npos)
        << at;
}

TEST(network_bandwidth, lets_an_earlier_size_have_left_more_of_the_pattern) {
  EXPECT_EQ(line_of_check([](auto& end) {
              auto const pattern = make_pattern(4096, 2);
              std::memcpy(end.target(1).data() + 1000, pattern.data() + 1000, 3000);
            }),
            "all right");
}

TEST(network_bandwidth, does_not_call_nothing_all_right) {
  EXPECT_NE(line_of_telling({.bytes = 64, .iterations = 0}).find("tells nothing to compare"), std::string::npos);
  EXPECT_NE(line_of_telling({.bytes = 0, .iterations = 1}).find("tells nothing to compare"), std::string::npos);
  EXPECT_NE(line_of_server([](auto& test, auto&) { test.tell({.bytes = 64, .iterations = 1}, posts, queues); },
                           [](auto& test, auto&) {
                             (void)test.await();
                             (void)test.check({.bytes = 64, .iterations = 3}, queues);
                           })
                .find("made 3 writes of 64 bytes on 2 queues"),
            std::string::npos);
}

TEST(network_bandwidth, refuses_rates_that_are_none) {
  for (double const rate :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300, -1.0})
    EXPECT_NE(line_of_telling({.bytes = 64, .iterations = 1, .average_bytes = rate})
                  .find("tells a result that is not possible"),
              std::string::npos)
        << rate;
}

// The rates that a server has of a client which tells these.
[[nodiscard]] told_result taken(double peak, double average, double writes_per_second) {
  constexpr double mib = 1 << 20;
  told_result made;
  write_test_result const told{.bytes = 4096,
                               .iterations = 500,
                               .peak_bytes = peak * mib,
                               .average_bytes = average * mib,
                               .messages = writes_per_second};
  EXPECT_EQ(line_of_server([&](auto& test, auto&) { test.tell(told, 1, 1); },
                           [&](auto& test, auto&) { made = test.await(); }),
            "all right");
  return made;
}

TEST(network_bandwidth, takes_rates_in_gigabits) {
  auto const in_gbits = taken(4.5, 4.096, 125'000);  // 4096 bytes x 8 x 125,000 / 10^9
  EXPECT_DOUBLE_EQ(in_gbits.average, 4096 * 125'000.0 / (1 << 20));
  EXPECT_DOUBLE_EQ(in_gbits.peak, 4.5e9 / 8 / (1 << 20));
  EXPECT_DOUBLE_EQ(in_gbits.messages, 0.125);
  auto const in_mib = taken(500, 488.28125, 125'000);
  EXPECT_EQ(in_mib.average, 488.28125);
  EXPECT_EQ(in_mib.peak, 500);
  auto const unclear = taken(500, 3, 125'000);  // neither: as it was told
  EXPECT_EQ(unclear.average, 3);
  EXPECT_EQ(taken(0, 0, 0).average, 0);
}

TEST(network_bandwidth, refuses_more_writes_than_an_end_can_make) {
  auto const line = line_of_server(
      [](auto& test, auto&) { test.tell({.bytes = 64, .iterations = std::uint32_t{1} << 31}, 1U << 31, queues); },
      [](auto& test, auto&) { (void)test.await(); });
  EXPECT_NE(line.find("tells a result that is not possible: 9223372036854775808 writes of 64 bytes"), std::string::npos)
      << line;
}

TEST(network_bandwidth, with_b_finds_a_client_without_it) {
  EXPECT_NE(line_of_server([](auto& test, auto&) { test.tell(test.run(64, posts, 3), posts, queues); },
                           [](auto& test, auto&) { (void)test.run_both_ways(64, posts, 3); })
                .find("this end has -b, and the peer has not: give both ends -b and the same -s"),
            std::string::npos);
}

TEST(network_bandwidth, of_a_server_says_when_it_listens) {
  auto const port = a_free_port();
  std::promise<void> listens;
  auto serving = std::async(std::launch::async, [&] {
    shm_endpoint end{{.queues = 1, .posts = 1, .area = area_for(1)}};
    connected_pair const pair{end, {.listen = "127.0.0.1", .tcp_port = port}, [&] { listens.set_value(); }};
  });
  listens.get_future().get();
  (void)tcp_stream::connect("127.0.0.1", port, std::chrono::seconds{0});
  EXPECT_THROW(serving.get(), failure);
}

}  // namespace
}  // namespace packetwarp::rdma

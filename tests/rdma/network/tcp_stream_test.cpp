// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/tcp_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/process/stop.h"

namespace packetwarp::rdma {
namespace {

using namespace std::chrono_literals;

// A socket that listens on a port of the loopback; the kernel keeps `backlog` connections, which the test does not
// take.
class listener {
 public:
  explicit listener(int backlog) {
    at_.sin_family = AF_INET;
    at_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof at_;
    EXPECT_EQ(::bind(descriptor_, address(), bytes), 0);
    EXPECT_EQ(::listen(descriptor_, backlog), 0);
    EXPECT_EQ(::getsockname(descriptor_, address(), &bytes), 0);
  }
  listener(listener const&) = delete;
  listener& operator=(listener const&) = delete;
  ~listener() { ::close(descriptor_); }
  [[nodiscard]] std::uint16_t port() const { return ntohs(at_.sin_port); }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  [[nodiscard]] sockaddr* address() { return reinterpret_cast<sockaddr*>(&at_); }

  int descriptor_{::socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in at_{};
};

// This process's socket whose peer is a port of the loopback.
[[nodiscard]] std::optional<int> socket_to(std::uint16_t port) {
  constexpr int most_descriptors = 256;
  for (int one = 0; one < most_descriptors; ++one) {
    sockaddr_in there{};
    socklen_t bytes = sizeof there;
    if (::getpeername(one, reinterpret_cast<sockaddr*>(&there), &bytes) == 0 && there.sin_family == AF_INET &&
        ntohs(there.sin_port) == port)
      return one;
  }
  return {};
}

[[nodiscard]] int option_of(int descriptor, int level, int name) {
  int value = 0;
  socklen_t bytes = sizeof value;
  EXPECT_EQ(::getsockopt(descriptor, level, name, &value, &bytes), 0);
  return value;
}

TEST(tcp_stream, notices_a_host_that_has_died) {
  listener const there{1};
  auto const stream = tcp_stream::connect("127.0.0.1", there.port(), 20s);
  auto const found = socket_to(there.port());
  ASSERT_TRUE(found);
  EXPECT_EQ(option_of(*found, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_LE(option_of(*found, IPPROTO_TCP, TCP_KEEPIDLE), 60) << "the kernel's own time is two hours";
  EXPECT_GT(option_of(*found, IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
}

// A server whose queue of connections is full: the kernel drops the next ones' first packets. It takes connections
// again after a while, so that a client that still waits then is connected.
class full_server {
 public:
  full_server() {
    waiting_.push_back(tcp_stream::connect("127.0.0.1", port(), 20s));
    later_ = std::jthread{[this](std::stop_token const& ended) {
      std::unique_lock lock{mutex_};
      if (none_.wait_for(lock, ended, 10s, [] { return false; }); ended.stop_requested()) return;
      for (int n = 0; n < 2; ++n) ::close(::accept(there_.descriptor(), nullptr, nullptr));
    }};
  }
  [[nodiscard]] std::uint16_t port() const { return there_.port(); }

 private:
  listener there_{0};
  std::vector<tcp_stream> waiting_;
  std::mutex mutex_;
  std::condition_variable_any none_;
  std::jthread later_;
};

[[nodiscard]] std::string refusal_of(std::uint16_t port, std::chrono::seconds limit) {
  try {
    (void)tcp_stream::connect("127.0.0.1", port, limit);
  } catch (failure const& wrong) {
    return wrong.what();
  }
  return "it has connected";
}

TEST(tcp_stream, gives_up_a_server_that_does_not_answer) {
  full_server const there;
  EXPECT_EQ(refusal_of(there.port(), 1s), fmt::format("rdma: 127.0.0.1:{} does not accept: Connection timed out; start "
                                                      "the server first, anew for each client",
                                                      there.port()));
}

TEST(tcp_stream, obeys_the_user_while_a_server_does_not_answer) {
  full_server const there;
  std::jthread const user{[] {
    std::this_thread::sleep_for(100ms);
    request_stop();
  }};
  EXPECT_EQ(refusal_of(there.port(), 60s), "rdma: interrupted while it waited for the peer");
  clear_stop_request();
}

TEST(tcp_stream, obeys_the_second_request_alone_if_it_is_told_to) {
  listener const there{1};
  auto stream = tcp_stream::connect("127.0.0.1", there.port(), 20s);
  stream.obey(stop_request::abandon);
  request_stop();
  auto const word = std::as_bytes(std::span{"key"});
  EXPECT_NO_THROW(stream.write(word, 20s));
  request_stop();
  EXPECT_THROW(stream.write(word, 20s), failure);
  clear_stop_request();
}

}  // namespace
}  // namespace packetwarp::rdma

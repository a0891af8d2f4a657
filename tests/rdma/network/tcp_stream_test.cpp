// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/tcp_stream.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

#include "base/error.h"

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

}  // namespace
}  // namespace packetwarp::rdma

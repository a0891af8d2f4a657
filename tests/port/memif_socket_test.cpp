// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/memif_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/process/owned_fd.h"

namespace packetwarp {
namespace {

class memif_socket : public testing::Test {
 protected:
  memif_socket() {
    std::filesystem::remove(path_);
    device_ = "net_memif0,role=server,socket-abstract=no,socket=" + path_;
  }
  ~memif_socket() override { std::filesystem::remove(path_); }
  [[nodiscard]] static std::vector<requested_device> devices(std::string const& device) {
    return requested_devices(std::vector<std::string>{"--vdev=" + device});
  }
  [[nodiscard]] static std::string refusal(std::string const& device) {
    try {
      require_free_sockets(devices(device));
    } catch (usage_error const& wrong) {
      return wrong.what();
    }
    return "accepted";
  }
  [[nodiscard]] owned_fd bound_socket() const {
    owned_fd made{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    EXPECT_EQ(::bind(made.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address), 0);
    return made;
  }
  [[nodiscard]] owned_fd listening() const {
    auto made = bound_socket();
    EXPECT_EQ(::listen(made.get(), 1), 0);
    return made;
  }

  std::string const path_{testing::TempDir() + "memif_socket_" + std::to_string(::getpid())};
  std::string device_;
};

TEST_F(memif_socket, that_a_program_listens_at_is_refused_and_stays) {
  auto const listener = listening();
  EXPECT_EQ(refusal(device_), "--vdev=" + device_ + ": socket=" + path_ +
                                  ": another program listens there; give this one a path of its own");
  remove_stale_sockets(devices(device_));
  EXPECT_TRUE(std::filesystem::exists(path_));
  for (auto const& other :
       {"net_memif0,role=client,socket-abstract=no,socket=" + path_, "net_memif0,role=server,socket=" + path_}) {
    EXPECT_EQ(refusal(other), "accepted") << "it does not listen at a file";
  }
}

TEST_F(memif_socket, is_found_without_a_client_that_its_server_would_see) {
  auto const listener = listening();
  EXPECT_THAT(refusal(device_), testing::HasSubstr("another program listens there"));
  remove_stale_sockets(devices(device_));
  pollfd waits{.fd = listener.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&waits, 1, 0), 0) << "a client waits to be accepted";
}

TEST_F(memif_socket, that_a_program_is_about_to_listen_at_stays) {
  auto const bound = bound_socket();
  remove_stale_sockets(devices(device_));
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(memif_socket, of_a_killed_program_is_removed) {
  { auto const listener = listening(); }
  EXPECT_EQ(refusal(device_), "accepted");
  remove_stale_sockets(devices("net_memif0,role=client,socket-abstract=no,socket=" + path_));
  EXPECT_TRUE(std::filesystem::exists(path_)) << "a client's is another program's";
  remove_stale_sockets(devices(device_));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(memif_socket, is_no_other_file) {
  std::ofstream{path_} << "a text";
  EXPECT_THAT(refusal(device_), testing::HasSubstr("there is a file that is no socket; give another path"));
  remove_stale_sockets(devices(device_));
  EXPECT_TRUE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace packetwarp

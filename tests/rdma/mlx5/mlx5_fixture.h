// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "base/error.h"
#include "rdma/mlx5/mlx5_end.h"
#include "rdma/mlx5/plain_gpu.h"
#include "rdma/mlx5/software_hca.h"

namespace packetwarp::rdma::test {

// A TCP port of the loopback that is free now.
inline std::uint16_t free_tcp_port() {
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

// A machine with a double of a ConnectX, and a GPU of plain memory.
class machine_double {
 public:
  explicit machine_double(fabric& network, hca_manner manner = {}, gpu_manner gpu = {},
                          wire::ipv4_address address = {0x0a090001})
      : hca{std::make_shared<software_hca>(network, std::move(manner), address)}, gpu_{gpu} {}

  [[nodiscard]] std::unique_ptr<mlx5_end> open(endpoint_settings const& settings, verbs_settings const& on = {}) {
    auto const make_gpu = [this] { return std::make_unique<plain_gpu>(*hca, gpu_, ledger); };
    return std::make_unique<mlx5_end>(settings, on, mlx5_machine{hca, hca, make_gpu, limit});
  }
  // That all objects are gone, and nothing was done wrong.
  void must_be_clean() const {
    EXPECT_THAT(hca->held(), testing::IsEmpty());
    EXPECT_THAT(hca->violations(), testing::IsEmpty());
    EXPECT_EQ(ledger.mapped, 0);
    for (auto const& one : std::filesystem::directory_iterator{"/proc/self/fd"}) {
      std::error_code gone;
      EXPECT_THAT(std::filesystem::read_symlink(one, gone).string(),
                  testing::Not(testing::HasSubstr(plain_gpu::exported)));
    }
  }

  std::shared_ptr<software_hca> hca;
  plain_gpu::ledger ledger;
  patience limit{60'000'000'000};

 private:
  gpu_manner gpu_;
};

// The text of an endpoint's property; empty without one.
[[nodiscard]] inline std::string property(endpoint const& end, std::string const& name) {
  auto const all = end.properties();
  auto const found = std::ranges::find(all, name, &std::pair<std::string, std::string>::first);
  return found == all.end() ? "" : found->second;
}

}  // namespace packetwarp::rdma::test

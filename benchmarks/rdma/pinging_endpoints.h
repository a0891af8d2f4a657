// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "ping_case.h"
#include "port/ring_wire.h"
#include "rdma/network/roce_endpoint.h"

namespace packetwarp::rdma::roce {

// Two ends as `packetwarp rdma-lat --transport roce --initiator gpu` makes them: a kernel posts writes into a queue in
// pinned host memory and awaits the peer's there; a CPU thread makes and reads the frames.
class pinging_endpoints {
 public:
  explicit pinging_endpoints(std::uint32_t bytes) : bytes_{bytes} {
    std::array const ports{wire_.left(), wire_.right()};
    for (std::uint32_t n = 0; n < ports.size(); ++n)
      ends_.push_back(
          std::make_unique<roce_endpoint>(endpoint_settings{.posts = 8, .area = bytes, .posting = initiator::gpu},
                                          ports[n], wire::ipv4_address{0x0a00'0001 + n}));
    // Each asks for the other one's MAC address, and answers its question meanwhile.
    auto other = std::async(std::launch::async, [this] { connect(1); });
    connect(0);
    other.get();
  }
  // The times of round trips, in ns; none if a write failed.
  [[nodiscard]] std::vector<double> ping(std::uint32_t iterations) {
    return ping_both([&](std::uint32_t end) {
      return *ends_[end]->ping(bytes_, iterations, end == 0 ? ping_side::writes_first : ping_side::answers);
    });
  }

 private:
  void connect(std::size_t end) { ends_[end]->connect(ends_[1 - end]->keys(), ends_[end]->mtu()); }

  std::uint32_t bytes_;
  ring_wire wire_{"wire", 1, 1024};
  std::vector<std::unique_ptr<roce_endpoint>> ends_;
};

}  // namespace packetwarp::rdma::roce

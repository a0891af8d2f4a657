// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "base/process/owned_fd.h"
#include "base/process/stop.h"

namespace packetwarp::rdma {

// A TCP connection of the kernel's. Every function throws failure, in one line with the peer's name, if the peer is
// gone or the time is up, and failure if the user asks to stop meanwhile, as obey() says.
class tcp_stream {
 public:
  // Connects; tries again until `limit`, because the peer may be about to listen.
  [[nodiscard]] static tcp_stream connect(std::string const& host, std::uint16_t port, std::chrono::seconds limit);
  // Listens on an address of this machine, or on all ("0.0.0.0"), and takes the first peer. Calls once_it_listens()
  // when a peer can connect.
  [[nodiscard]] static tcp_stream accept(std::string const& address, std::uint16_t port,
                                         std::function<void()> const& once_it_listens = {});

  // The least request of the user that ends a wait from now on: at first drain, which is any.
  void obey(stop_request least) { obeyed_ = least; }

  void write(std::span<std::byte const> bytes, std::chrono::milliseconds limit) const;
  void read(std::span<std::byte> bytes, std::chrono::milliseconds limit) const;
  // Whether there is something to read, or the peer is gone; waits up to `limit`, and throws nothing.
  [[nodiscard]] bool is_readable(std::chrono::milliseconds limit) const;
  [[nodiscard]] std::string const& peer() const { return peer_; }

 private:
  tcp_stream(owned_fd descriptor, std::string peer);

  owned_fd descriptor_;
  std::string peer_;  // "10.9.0.2:18515"
  stop_request obeyed_{stop_request::drain};
};

}  // namespace packetwarp::rdma

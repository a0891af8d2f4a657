// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "base/process/owned_fd.h"
#include "rdma/shm/memory_offer.h"

namespace packetwarp::rdma {

// The way by which two processes of a machine give each other a memory file, and by which each learns of the other's
// end: unix sockets with abstract names. An end tells its socket's name to the peer as a GID, in perftest's exchange.
class peer_link {
 public:
  using gid = std::array<std::uint8_t, 16>;

  // Listens at a name that no other socket has. Throws failure.
  peer_link();

  // No GID of a network: a text, and the number that makes the socket's name.
  [[nodiscard]] gid const& own_gid() const { return gid_; }

  // Gives the peer the region and its file, and takes the peer's; the peer calls this at the same time. Throws failure:
  // the GID is none of own_gid()'s form, there is no such socket in this machine's network namespace, the peer's
  // process belongs to another user, it has ended, or its memory is refused (shared_memory::map). Waits 10 s at most,
  // and until the user asks to stop.
  [[nodiscard]] peer_memory trade(gid const& of_peer, region const& own, int file);

  // Whether the peer has ended, after trade(); waits for it up to `limit`. Any thread.
  [[nodiscard]] bool peer_has_ended(std::chrono::milliseconds limit) const;
  // The peer then sees that this end has ended. No other thread asks for the peer's end any more.
  void close();

 private:
  void accept_peer(std::chrono::steady_clock::time_point until);

  gid gid_;
  owned_fd listener_;
  owned_fd to_peer_;    // this end has connected: the peer's memory comes by it
  owned_fd from_peer_;  // the peer has connected: this end's memory goes by it
};

}  // namespace packetwarp::rdma

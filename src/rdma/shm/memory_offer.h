// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rdma/region_table.h"
#include "rdma/shm/shared_memory.h"

namespace packetwarp::rdma {

// A peer's target: the region as the peer knows it, and its memory as this process maps it.
struct peer_memory {
  region known{};
  shared_memory memory;
};

inline constexpr std::string_view peer_has_ended_line = "rdma: the peer has ended: its own output says why";

// The message by which a process gives a peer its target: the region, and the file of its memory as SCM_RIGHTS
// (unix(7)). connection: a unix socket that keeps messages apart (SOCK_SEQPACKET); it stays the caller's.
// Throws failure if the peer has ended.
void give_memory(int connection, region const& own, int file);
// Takes the message that has come, and maps the memory. Throws failure: the peer has ended, the message has another
// form, its memory does not begin with a page, or shared_memory::map() refuses it. A file that is refused is closed.
[[nodiscard]] peer_memory receive_memory(int connection);

}  // namespace packetwarp::rdma

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace packetwarp {

// The role of a worker that is listed.
enum class worker_role : std::uint8_t {
  master,      // watches, and does the work that is not per packet; has no queues
  forwarding,  // receives, runs the function, and sends
  kni          // passes packets between ports and the kernel, so that neither waits for the forwarding workers
};
[[nodiscard]] std::string_view to_string(worker_role role);

// The smallest ring of an isolated receiver, in packets: room for the packets of a poll, DPVS's largest included.
inline constexpr std::uint32_t least_isolated_ring = 64;
inline constexpr std::uint32_t most_isolated_ring = 1U << 20;

// An lcore that only takes packets from a forwarding worker's RX queues, each queue's into a ring of its own.
struct isolated_receiver {
  lcore_id lcore;
  std::uint32_t ring{16384};  // packets
};

// A worker's part of one port: queues that no other worker touches.
struct worker_port {
  std::string place;   // of the entry, "lan.yaml:9: data_plane.workers[1].ports[0]": the beginning of errors about it
  std::size_t port{};  // its position among the data plane's ports
  std::vector<queue_id> rx_queues;
  std::vector<queue_id> tx_queues;
  std::optional<isolated_receiver> isolated_rx;
};

// A worker of the list.
struct listed_worker {
  std::string place;
  lcore_id lcore;
  worker_role role{};
  std::vector<worker_port> ports;
  // A forwarding worker's: lcores that run the function, and that send, for packets that it receives. Without them it
  // does both itself. They may be one.
  std::optional<lcore_id> execute_on{};
  std::optional<lcore_id> transmit_on{};
};

// Throws usage_error, which begins with a place, for workers that no machine can have: lcores or queues that two of
// them have, a missing master, a forwarding worker that cannot send. ports: names of the data plane's ports for people,
// in their order. Pure.
void require_sound(std::span<listed_worker const> workers, std::span<std::string const> ports);

}  // namespace packetwarp

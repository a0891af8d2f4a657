// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/rx_queue.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/error.h"

namespace packetwarp {
namespace {

// A hint for a pool that a driver refuses because its packets are shorter than a frame: the driver says "no memory".
[[nodiscard]] std::string_view refusal_hint(port_facts const& facts, packet_pool const& pool) {
  bool const scatters = (facts.rx_offloads & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
  bool const holds_a_frame =
      pool.config().data_room >= facts.default_mtu + std::uint32_t{RTE_ETHER_HDR_LEN + 2 * RTE_VLAN_HLEN};
  return scatters || holds_a_frame ? "" : "; it receives a frame into one mbuf: give a larger data room (-d 2048)";
}

// A queue whose packets come in two mbufs: the header's, and one of the payload pool for the bytes after it.
[[nodiscard]] int set_up_split_queue(std::uint16_t port, unsigned socket, rx_queue_setup const& wanted) {
  rte_eth_dev_info info{};
  if (int const result = rte_eth_dev_info_get(port, &info); result != 0) return result;
  std::array<rte_eth_rxseg, 2> segments{};
  segments[0].split = {.mp = &wanted.pool.get(), .length = wanted.first_bytes, .offset = 0, .proto_hdr = 0};
  segments[1].split = {.mp = &wanted.payloads->get(), .length = 0, .offset = 0, .proto_hdr = 0};
  auto conf = info.default_rxconf;
  conf.offloads |= RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT | RTE_ETH_RX_OFFLOAD_SCATTER;
  conf.rx_seg = segments.data();
  conf.rx_nseg = static_cast<std::uint16_t>(segments.size());
  return rte_eth_rx_queue_setup(port, wanted.queue, wanted.descriptors, socket, &conf, nullptr);
}

[[nodiscard]] int set_up(port_facts const& facts, rx_queue_setup const& wanted) {
  auto const id = facts.id.value();
  auto const socket = static_cast<unsigned>(facts.socket < 0 ? SOCKET_ID_ANY : facts.socket);
  if (wanted.payloads != nullptr) return set_up_split_queue(id, socket, wanted);
  return rte_eth_rx_queue_setup(id, wanted.queue, wanted.descriptors, socket, nullptr, &wanted.pool.get());
}

// A hint for a queue of which the kernel says that it is busy (driver_traits::finds_queues_busy).
[[nodiscard]] std::string_view busy_hint(port_facts const& facts, int reason) {
  if (!facts.traits().finds_queues_busy || reason != EBUSY) return "";
  return "; another AF_XDP socket has it: of a program that runs, or of one that has ended some moments ago: start "
         "again";
}

}  // namespace

void set_up_rx_queue(port_facts const& facts, rx_queue_setup const& wanted) {
  errno = 0;
  int const result = set_up(facts, wanted);
  if (result >= 0) return;
  auto const reason = errno;
  throw failure(fmt::format("port {} ({}): setting up RX queue {} failed: {}{}{}", facts.id.value(), facts.name,
                            wanted.queue, rte_strerror(-result), refusal_hint(facts, wanted.pool),
                            busy_hint(facts, reason)));
}

}  // namespace packetwarp

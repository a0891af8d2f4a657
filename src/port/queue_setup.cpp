// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/queue_setup.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/error.h"
#include "port/flow/hairpin.h"

namespace packetwarp {
namespace {

// An RX queue of a port that is configured.
struct rx_queue_setup {
  std::uint16_t queue;
  std::uint16_t descriptors;
  packet_pool const& pool;      // of packets, or of their headers
  packet_pool const* payloads;  // null: a packet comes in one mbuf
  std::uint16_t first_bytes;    // of a packet with a payload: the header's mbuf has so many
};

[[nodiscard]] rte_eth_conf make_conf(port_facts const& facts, port_config const& config,
                                     port_offloads const& offloads) {
  rte_eth_conf conf{};
  conf.rxmode.offloads = offloads.rx;
  conf.txmode.offloads = offloads.tx;
  conf.rxmode.mtu = config.mtu != 0 ? config.mtu : facts.default_mtu;
  if (config.rx_queues > 1 && facts.rss_types != 0) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    conf.rx_adv_conf.rss_conf.rss_hf = (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP) & facts.rss_types;
  }
  return conf;
}

// A hint for a pool that a driver refuses because its packets are shorter than a frame: the driver says "no memory".
[[nodiscard]] std::string_view refusal_hint(port_facts const& facts, packet_pool const& pool, int result) {
  if (facts.repeats_capture && result == -EINVAL) {
    return "; with infinite_rx it takes a capture whose frames fit into an mbuf each: give a larger data room (-d), or "
           "leave infinite_rx out";
  }
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

[[nodiscard]] int try_set_up(port_facts const& facts, rx_queue_setup const& wanted) {
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

void set_up_rx_queue(port_facts const& facts, rx_queue_setup const& wanted) {
  errno = 0;
  int const result = try_set_up(facts, wanted);
  if (result >= 0) return;
  auto const reason = errno;
  throw failure(fmt::format("{}: setting up RX queue {} failed: {}{}{}", label_of(facts), wanted.queue,
                            rte_strerror(-result), refusal_hint(facts, wanted.pool, result), busy_hint(facts, reason)));
}

void set_up_queues(port_facts const& facts, port_config const& config, rx_pools const& pools) {
  auto const* const payloads = pools.payloads();
  auto const id = facts.id.value();
  auto rx_descriptors = config.rx_descriptors;
  auto tx_descriptors = config.tx_descriptors;
  require_done(rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx_descriptors, &tx_descriptors), facts, "sizing its rings");
  auto const socket = facts.socket < 0 ? SOCKET_ID_ANY : facts.socket;
  for (std::uint16_t q = 0; q < config.rx_queues; ++q) {
    set_up_rx_queue(facts, {.queue = q,
                            .descriptors = rx_descriptors,
                            .pool = pools.of(q),
                            .payloads = payloads,
                            .first_bytes = pools.first_bytes()});
  }
  for (std::uint16_t q = 0; q < config.tx_queues; ++q) {
    require_done(rte_eth_tx_queue_setup(id, q, tx_descriptors, static_cast<unsigned>(socket), nullptr), facts,
                 fmt::format("setting up TX queue {}", q));
  }
  if (config.hairpin.queues != 0) {
    set_up_hairpin_queues(facts, config.hairpin, queue_id{config.rx_queues}, queue_id{config.tx_queues}, rx_descriptors,
                          tx_descriptors);
  }
}

}  // namespace

void configure_port(port_facts const& facts, port_config const& config, port_offloads const& offloads,
                    rx_pools const& pools) {
  auto const conf = make_conf(facts, config, offloads);
  auto const all_queues = [&config](std::uint16_t others) {
    return static_cast<std::uint16_t>(others + config.hairpin.queues);
  };
  require_done(
      rte_eth_dev_configure(facts.id.value(), all_queues(config.rx_queues), all_queues(config.tx_queues), &conf), facts,
      "configuring it");
  set_up_queues(facts, config, pools);
}

}  // namespace packetwarp

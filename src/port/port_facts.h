// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_ethdev.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "port/driver/driver_traits.h"
#include "port/driver/packet_access.h"
#include "wire/address.h"

namespace packetwarp {

// The facts of a port before it is configured, as its driver tells them.
struct port_facts {
  port_id id;
  std::string name;    // "0000:b5:00.0", "net_pcap0"
  std::string device;  // the device's, which several ports may share; empty: no device that could be taken away
  std::string driver;  // "mlx5_pci", "net_pcap"
  std::string bus;     // "pci", "vdev"
  int socket{-1};      // NUMA node, -1 unknown
  std::uint16_t max_rx_queues{};
  std::uint16_t max_tx_queues{};
  std::uint16_t default_mtu{};
  std::uint16_t max_mtu{};
  std::uint16_t max_segments{};  // mbufs of the packets that it sends; 0: it tells no limit
  std::uint64_t rx_offloads{};   // RTE_ETH_RX_OFFLOAD_*
  std::uint64_t tx_offloads{};   // RTE_ETH_TX_OFFLOAD_*
  std::uint64_t rss_types{};     // RTE_ETH_RSS_*
  std::uint16_t rss_table{};     // entries that assign hashes to queues; 0: they cannot be set
  // The interface that the port stands on and did not make, else empty and 0. It may be renamed; its index stays.
  std::string kernel_interface;
  unsigned interface_index{};
  std::string own_tap;  // the interface that the driver made for the port, as it was called then
  // The kernel interface, made by others, by which the packets of a virtual port leave, and its MTU: packets beyond it
  // are lost. Empty and 0: there is none, or nothing is known.
  std::string leaves_by;
  std::uint32_t interface_mtu{};
  // driver_traits::entries: packets beyond these are lost. 0: another driver.
  std::uint32_t ring_room{};   // bytes of an IP packet that fit into its rings
  std::uint32_t ring_frame{};  // bytes of a frame that fit into its rings
  // 0: another driver.
  std::uint32_t buffer_bytes{};      // driver_traits::buffers
  std::uint32_t made_frame_bytes{};  // driver_traits::made_frames
  bool repeats_capture{};            // driver_traits::repeat_argument
  packet_access access{packet_access::host_only};
  wire::mac_address mac;
  bool receives_nothing{};  // its device's arguments say so (driver_traits::mute_argument)

  [[nodiscard]] driver_traits const& traits() const { return traits_of(driver); }
};
[[nodiscard]] port_facts describe_port(port_id id);
[[nodiscard]] std::vector<port_facts> describe_all_ports();

// "port 2 (0000:b5:00.0)"
[[nodiscard]] std::string label_of(port_facts const& facts);

// Throws failure, as "port 2 (0000:b5:00.0): starting it failed: ...", for a result of ethdev that is an error.
void require_done(int result, port_facts const& facts, std::string_view step);

// Whether a port can receive headers into host memory and payloads into a GPU's, and send such packets.
[[nodiscard]] bool splits_to_gpu(port_facts const& facts);

// Whether a port's driver tells that it has sent packets which its kernel interface, down or deleted, did not take.
[[nodiscard]] bool loses_without_link(port_facts const& facts);

// port_facts::max_segments of a port with these limits.
[[nodiscard]] std::uint16_t max_segments_of(rte_eth_desc_lim const& limits);

}  // namespace packetwarp

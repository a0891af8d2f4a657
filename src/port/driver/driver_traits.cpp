// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/driver/driver_traits.h"

#include <rte_ether.h>

#include <algorithm>
#include <array>

namespace packetwarp {
namespace {

using enum capability;
using enum argument_value;

constexpr std::array null_arguments{device_argument{"size", frame_bytes}, device_argument{"copy", number},
                                    device_argument{"no-rx", number}};
constexpr std::array pcap_arguments{device_argument{"rx_pcap"},
                                    device_argument{"tx_pcap"},
                                    device_argument{"rx_iface", interface},
                                    device_argument{"rx_iface_in", interface},
                                    device_argument{"tx_iface", interface},
                                    device_argument{"iface", interface},
                                    device_argument{"phy_mac", number},
                                    device_argument{"infinite_rx", number}};
constexpr std::array<std::string_view, 2> pcap_leaves_by{"iface", "tx_iface"};
constexpr std::array ring_arguments{device_argument{"nodeaction"}, device_argument{"internal"}};
constexpr std::array af_packet_arguments{
    device_argument{"iface", needed_interface},   device_argument{"qpairs", positive_number},
    device_argument{"blocksz", positive_number},  device_argument{"framesz", positive_number},
    device_argument{"framecnt", positive_number}, device_argument{"qdisc_bypass", number}};
constexpr std::array af_xdp_arguments{device_argument{"iface", needed_interface}};
constexpr std::array tap_arguments{device_argument{"iface"}, device_argument{"remote"}, device_argument{"mac"},
                                   device_argument{"persist"}};
constexpr std::array memif_arguments{device_argument{"role"},
                                     device_argument{"id", number},
                                     device_argument{"bsize", frame_bytes},
                                     device_argument{"rsize", positive_number},
                                     device_argument{"socket"},
                                     device_argument{"socket-abstract"},
                                     device_argument{"owner-uid"},
                                     device_argument{"owner-gid"},
                                     device_argument{"mac"},
                                     device_argument{"secret"},
                                     device_argument{"zero-copy"}};

// By default the driver copies small packets into its descriptors, with the CPU.
constexpr access_rule access_of_mlx5{.argument = "txq_inline_max", .unset = 1, .if_zero = packet_access::rdma};

constexpr std::array rows{
    driver_traits{.name = "net_null",
                  .alias = "eth_null",
                  .is_virtual = true,
                  .arguments = null_arguments,
                  .listed = argument_list::complete,
                  .mute_argument = "no-rx",
                  .rights = {},
                  .access = {.argument = "copy", .unset = 0, .if_zero = packet_access::none},
                  .made_frames = {.argument = "size", .unset = 64}},
    driver_traits{.name = "net_ring",
                  .alias = "eth_ring",
                  .is_virtual = true,
                  .arguments = ring_arguments,
                  .listed = argument_list::complete,
                  .rights = {},
                  .access = {.usual = packet_access::none},
                  .receives_foreign_packets = true},
    driver_traits{.name = "net_pcap",
                  .alias = "eth_pcap",
                  .is_virtual = true,
                  .arguments = pcap_arguments,
                  .listed = argument_list::complete,
                  .rights = {},
                  .leaves_by = pcap_leaves_by,
                  .fills_all_queues = true,
                  .repeat_argument = "infinite_rx",
                  .unlisted_chain = RTE_ETHER_MAX_JUMBO_FRAME_LEN},  // eth_pcap_tx(): RTE_ETH_PCAP_SNAPLEN
    driver_traits{.name = "net_memif",
                  .is_virtual = true,
                  .arguments = memif_arguments,
                  .listed = argument_list::complete,
                  .listens_at_file = true,
                  .rights = {},
                  .needs_gate = true,
                  .buffers = {.argument = "bsize", .unset = 2048}},  // ETH_MEMIF_DEFAULT_PKT_BUFFER_SIZE
    driver_traits{.name = tap_driver,
                  .alias = "eth_tap",
                  .is_virtual = true,
                  .arguments = tap_arguments,
                  .listed = argument_list::complete,
                  .rights_to_open = {net_admin},  // TUNSETIFF
                  .rights = {net_admin},
                  .pairs = queue_pairs::required,  // a pair is one file of the tap (tap_dev_configure())
                  .makes_interface = true,
                  .extra_bytes = 8,  // pmd_tx_burst(): FCS and VLAN tag
                  .is_stuck_by_long_packets = true},
    driver_traits{.name = virtio_user_driver, .alias = "virtio_user", .is_virtual = true, .rights = {net_admin}},
    driver_traits{.name = "net_af_packet",
                  .alias = "eth_af_packet",
                  .is_virtual = true,
                  .arguments = af_packet_arguments,
                  .listed = argument_list::complete,
                  // A packet socket takes NET_RAW (packet(7)), and the start of its port, which sets the interface's
                  // address and flags, NET_ADMIN.
                  .rights_to_open = {net_admin, net_raw},
                  .rights = {net_admin, net_raw, ipc_lock},  // its rings are locked in memory
                  .queues_argument = "qpairs",
                  .loses_without_link = true,
                  .forgets_tag_types = true,
                  .shares_with_kernel = true,
                  .entries = {.argument = "framesz", .unset = 2048},  // DFLT_FRAME_SIZE
                  .blocks = {.argument = "blocksz", .unset = 4096},   // DFLT_BLOCK_SIZE
                  .fills_all_queues = true},
    driver_traits{.name = "net_af_xdp",
                  .is_virtual = true,
                  .arguments = af_xdp_arguments,
                  // It removes its program from the interface at the end, and finds it by a number, which the kernel
                  // gives only with CAP_SYS_ADMIN.
                  .rights = {net_admin, net_raw, ipc_lock, bpf, sys_admin},
                  .finds_queues_busy = true,
                  .removes_xdp_program = true,
                  .loses_without_link = true,
                  .extra_bytes = 4},  // is_skb_forwardable() of Linux: VLAN_HLEN
    // The device uses the larger number of pairs (virtio_dev_start()).
    driver_traits{.name = "net_virtio", .pairs = queue_pairs::activated},
    driver_traits{.name = "net_e1000_igb_vf", .forgets_with_its_link = true},
    driver_traits{.name = "net_ixgbe_vf", .forgets_with_its_link = true},
    driver_traits{.name = "mlx5_pci", .access = access_of_mlx5},
    driver_traits{.name = "mlx5_auxiliary", .access = access_of_mlx5}};
constexpr driver_traits without_row{};

// Further drivers of virtual ports: RTE_PMD_REGISTER_VDEV and RTE_PMD_REGISTER_ALIAS of DPDK 22.11 to 24.11,
// drivers/net.
constexpr std::array others{"net_bonding",  "net_failsafe",    "net_kni",     "net_mvneta", "net_mvpp2",
                            "net_octeontx", "net_pfe",         "net_softnic", "net_tun",    "net_dpaa",
                            "net_vhost",    "net_vdev_netvsc", "eth_bond",    "eth_mvneta", "eth_mvpp2",
                            "eth_octeontx", "eth_vdev_netvsc", "eth_vhost"};

}  // namespace

driver_traits const& traits_of(std::string_view driver) {
  auto const* const found = std::ranges::find(rows, driver, &driver_traits::name);
  return found != rows.end() ? *found : without_row;
}

std::span<driver_traits const> special_drivers() { return rows; }

std::optional<virtual_driver> driver_of_device(std::string_view device) {
  for (auto const& row : rows) {
    if (!row.is_virtual) continue;
    if (device.starts_with(row.name)) return virtual_driver{row.name, row};
    if (!row.alias.empty() && device.starts_with(row.alias)) return virtual_driver{row.alias, row};
  }
  for (std::string_view const name : others) {
    if (device.starts_with(name)) return virtual_driver{name, without_row};
  }
  return std::nullopt;
}

}  // namespace packetwarp

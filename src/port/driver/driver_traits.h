// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/process/privileges.h"
#include "port/driver/packet_access.h"

namespace packetwarp {

// The drivers of DPDK that the program treats specially: a row each in driver_traits.cpp. No other file compares a
// driver's name, so a driver that is new or special in a further way is a row or a member here.

// The names of drivers that make devices for the program itself.
inline constexpr std::string_view tap_driver = "net_tap";
inline constexpr std::string_view virtio_user_driver = "net_virtio_user";

// The value of an argument of a virtual device. A driver takes text that is no number for 0, or fails without naming
// the argument.
enum class argument_value : std::uint8_t {
  text,
  number,
  positive_number,
  frame_bytes,      // a number of bytes that a frame may have
  interface,        // the name of an interface that exists
  needed_interface  // the same; the driver makes no port without it
};
struct device_argument {
  std::string_view name;
  argument_value value{argument_value::text};
};

// Whether a row lists all arguments of its driver as of DPDK 22.11 to 24.11. Later versions may have more.
enum class argument_list : std::uint8_t { complete, partial };

// Whether a driver has RX and TX queues in pairs.
enum class queue_pairs : std::uint8_t {
  none,
  required,   // it refuses unequal numbers of them
  activated,  // it takes unequal numbers, and the device receives by every pair that has a queue in use
};

// How a driver reaches packet bytes: the usual way, and the way that it has if an argument of its device is 0.
struct access_rule {
  packet_access usual{packet_access::host_only};
  std::string_view argument{};  // a number; empty: no argument changes the way
  int unset{1};                 // the number if the argument is missing
  packet_access if_zero{packet_access::host_only};
};

// A number of bytes that an argument of a device sets.
struct bytes_argument {
  std::string_view argument{};
  std::uint32_t unset{};  // the number if the argument is missing; 0: the driver has no such bytes
};

// Registers, memory that devices access, flows and raw queues.
inline constexpr capability_set rights_of_hardware{capability::net_admin, capability::net_raw, capability::ipc_lock,
                                                   capability::sys_rawio};

// The defaults are those of a driver without a row: of hardware, with nothing special.
struct driver_traits {
  std::string_view name{};   // rte_eth_dev_info::driver_name
  std::string_view alias{};  // RTE_PMD_REGISTER_ALIAS: its name in old versions of DPDK, which --vdev still takes
  bool is_virtual{};         // RTE_PMD_REGISTER_VDEV: --vdev makes its devices

  // In --vdev. Some drivers ignore an argument that they do not have, others make no port and do not say why.
  std::span<device_argument const> arguments{};
  argument_list listed{argument_list::partial};
  // The argument by which a device receives nothing, if it is not 0.
  std::string_view mute_argument{};
  // The server of a device listens at a file, which stays when its process is killed, and which the driver refuses then
  // (memif_socket_create()): the arguments `role`, `socket` and `socket-abstract`.
  bool listens_at_file{};

  // The rights without which the kernel refuses what the driver opens, for drivers whose own words do not say so.
  capability_set rights_to_open{};
  // The rights that a port needs once it is open: for links that go down and come up again, and for closing it.
  // docs/run.md has the table.
  capability_set rights{rights_of_hardware};

  access_rule access{};
  queue_pairs pairs{queue_pairs::none};
  // The argument of its devices for the number of their queues, all of which get packets (fills_all_queues).
  std::string_view queues_argument{};
  // The driver unmaps rings on the EAL's interrupt thread while queues may read them (interrupt_gate.h).
  bool needs_gate{};
  // The kernel has the queue of an AF_XDP socket some time after the process has ended whose it was: its work waits for
  // others that change network interfaces (net/xdp/xsk_buff_pool.c, xp_put_pool). The driver says EINVAL for any
  // reason; errno says EBUSY. Trying again here is no help: at each try the driver leaks the packets of its fill ring.
  bool finds_queues_busy{};
  // It forgets its queues when its physical function is reset, and shows that by its link alone: the mailbox that tells
  // of the reset (RTE_ETH_EVENT_INTR_RESET) is an interrupt that not every device raises.
  bool forgets_with_its_link{};
  // A device takes the XDP program off its interface when it is closed, whichever program has put it there
  // (remove_xdp_program()).
  bool removes_xdp_program{};
  // Its packets may be of another process's pool.
  bool receives_foreign_packets{};

  // The interface that rte_eth_dev_info::if_index names is made by the driver for the port. It belongs to the port, and
  // stays its own when it is moved to another network namespace. False: the port stands on an interface of others.
  bool makes_interface{};
  // It tells that it has sent packets which its kernel interface, down or deleted, did not take: af_packet_tx() counts
  // packets that the socket refuses as errors and frees them; af_xdp_tx() leaves them in its ring.
  bool loses_without_link{};
  // A received packet's outermost VLAN tag has the type 0x8100, whatever it was: the kernel takes the tag out, and the
  // driver puts it back by rte_vlan_insert().
  bool forgets_tag_types{};
  // It receives copies: the kernel still receives packets to its interface's MAC address.
  bool shares_with_kernel{};
  // The entries of the rings between the port and its kernel interface. Frames that do not fit into an entry are
  // counted as sent, and are lost.
  bytes_argument entries{};
  // The blocks of these rings. The kernel puts whole entries into a block; the driver takes entries to lie one after
  // another (eth_dev_af_packet.c: rd[i].iov_base), so an entry must divide a block.
  bytes_argument blocks{};
  // The frames that a device makes by itself, whether an mbuf has room for them or not (eth_null_copy_rx()).
  bytes_argument made_frames{};
  // The buffers of a device, one per descriptor. A frame that needs several is damaged once the ring is full:
  // eth_memif_tx() steps back and leaves MEMIF_DESC_FLAG_NEXT set in the descriptors that it has written.
  bytes_argument buffers{};
  // The arguments that name the kernel interface by which packets leave; empty: rte_eth_dev_info::if_index names it.
  std::span<std::string_view const> leaves_by{};
  // The bytes beyond MTU and Ethernet header that a frame without a VLAN tag may have.
  std::uint32_t extra_bytes{};
  // Packets come by all queues of the device, those too that no worker polls.
  bool fills_all_queues{};
  // The argument by which a device receives a capture again and again. It takes only frames of one mbuf then.
  std::string_view repeat_argument{};
  // It neither sends packets longer than its MTU nor drops them, and cannot change the MTU: they stay at the head of
  // its queue.
  bool is_stuck_by_long_packets{};
  // It writes every mbuf of a packet, through a buffer of this many bytes, but does not list that among its offloads;
  // it cuts longer packets. 0: the offloads say whether it sends chains.
  std::uint32_t unlisted_chain{};
};

// The traits of ports of this driver (port_facts::driver).
[[nodiscard]] driver_traits const& traits_of(std::string_view driver);

// All rows.
[[nodiscard]] std::span<driver_traits const> special_drivers();

// The driver that makes a virtual device.
struct virtual_driver {
  std::string_view called;  // its name or alias, whichever the device's name begins with
  driver_traits const& traits;
};
// The driver to which the EAL gives a virtual device of this name; nothing: no driver of DPDK.
[[nodiscard]] std::optional<virtual_driver> driver_of_device(std::string_view device);

// Whether a device of this name is a virtual port by its class. The EAL handles other kinds of virtual device (crypto,
// event, ...). Devices of drivers that are no part of DPDK have such names, too.
[[nodiscard]] constexpr bool has_name_of_virtual_port(std::string_view device) {
  return device.starts_with("net_") || device.starts_with("eth_");
}

}  // namespace packetwarp

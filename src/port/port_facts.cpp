// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/port_facts.h"

#include <fmt/format.h>
#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_errno.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "base/error.h"
#include "port/chain_limit.h"
#include "port/device/requested_device.h"
#include "port/driver/ring_entry.h"
#include "port/interface_state.h"
#include "port/largest_mtu.h"

namespace packetwarp {
namespace {

// The values of arguments of a port's device, which DPDK keeps.
class device_values {
 public:
  device_values(driver_traits const& traits, rte_device const* device) {
    auto const* const with = device != nullptr ? rte_dev_devargs(device) : nullptr;
    if (with == nullptr || with->args == nullptr) return;
    std::array const words{fmt::format("--vdev={},{}", traits.name, with->args)};
    device_ = requested_devices(words).front();
  }
  // The last value, as drivers take it; empty: there is none.
  [[nodiscard]] std::string last(std::string_view argument) const {
    auto const values = argument.empty() ? std::vector<std::string>{} : device_.values_of(argument);
    return values.empty() ? std::string{} : values.back();
  }
  [[nodiscard]] bool is_set(std::string_view argument) const {
    auto const value = last(argument);
    return !value.empty() && value != "0";
  }
  [[nodiscard]] std::uint32_t bytes(bytes_argument const& of) const {
    auto const value = last(of.argument);
    return value.empty() ? of.unset : static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 0));
  }
  // The first of the interfaces that these arguments name; empty: they name none.
  [[nodiscard]] std::string interface(std::span<std::string_view const> arguments) const {
    for (auto const argument : arguments) {
      if (auto value = last(argument); !value.empty()) return value;
    }
    return {};
  }

 private:
  requested_device device_;
};

[[nodiscard]] std::string bus_of(rte_device const* device) {
  auto const* const bus = device != nullptr ? rte_dev_bus(device) : nullptr;
  return bus != nullptr ? rte_bus_name(bus) : "";
}

}  // namespace

port_facts describe_port(port_id id) {
  port_facts facts;
  facts.id = id;
  std::array<char, RTE_ETH_NAME_MAX_LEN> name{};
  rte_eth_dev_get_name_by_port(id.value(), name.data());
  facts.name = name.data();
  rte_eth_dev_info info{};
  require_done(rte_eth_dev_info_get(id.value(), &info), facts, "reading the port's abilities");
  facts.driver = info.driver_name != nullptr ? info.driver_name : "";
  auto const& traits = facts.traits();
  if (info.device != nullptr) facts.device = rte_dev_name(info.device);
  facts.socket = rte_eth_dev_socket_id(id.value());
  facts.bus = bus_of(info.device);
  facts.max_rx_queues = info.max_rx_queues;
  facts.max_tx_queues = info.max_tx_queues;
  facts.max_mtu = largest_mtu_of(info);
  facts.max_segments = max_segments_of(info.tx_desc_lim);
  facts.rx_offloads = info.rx_offload_capa;
  facts.tx_offloads = info.tx_offload_capa;
  facts.rss_types = info.flow_type_rss_offloads;
  facts.rss_table = info.reta_size;
  facts.access = access_of(info);
  device_values const values{traits, info.device};
  facts.receives_nothing = values.is_set(traits.mute_argument);
  facts.repeats_capture = values.is_set(traits.repeat_argument);
  facts.buffer_bytes = values.bytes(traits.buffers);
  facts.made_frame_bytes = facts.receives_nothing ? 0 : values.bytes(traits.made_frames);
  rte_ether_addr mac{};
  if (rte_eth_macaddr_get(id.value(), &mac) == 0) std::memcpy(facts.mac.octets, mac.addr_bytes, sizeof mac);
  rte_eth_dev_get_mtu(id.value(), &facts.default_mtu);
  if (auto interface = name_of_interface(info.if_index)) {
    if (traits.makes_interface) {
      facts.own_tap = std::move(*interface);
    } else {
      facts.kernel_interface = std::move(*interface);
      facts.interface_index = info.if_index;
    }
  }
  if (auto const entry = ring_entry_of(id, traits); entry != 0) {
    facts.ring_room = packet_room_of(entry);
    facts.ring_frame = mbuf_room_of(entry);
  }
  if (traits.is_virtual) {
    facts.leaves_by = traits.leaves_by.empty() ? facts.kernel_interface : values.interface(traits.leaves_by);
    facts.interface_mtu = mtu_of_interface(facts.leaves_by).value_or(0);
  }
  return facts;
}

std::vector<port_facts> describe_all_ports() {
  std::vector<port_facts> all;
  for (auto id = rte_eth_find_next_owned_by(0, RTE_ETH_DEV_NO_OWNER); id < RTE_MAX_ETHPORTS;
       id = rte_eth_find_next_owned_by(static_cast<std::uint16_t>(id + 1), RTE_ETH_DEV_NO_OWNER)) {
    all.push_back(describe_port(port_id{static_cast<std::uint16_t>(id)}));
  }
  return all;
}

std::string label_of(port_facts const& facts) { return fmt::format("port {} ({})", facts.id.value(), facts.name); }

void require_done(int result, port_facts const& facts, std::string_view step) {
  if (result < 0) throw failure(fmt::format("{}: {} failed: {}", label_of(facts), step, rte_strerror(-result)));
}

// The limit for packets that the device does not cut up itself. Drivers without a limit leave out the number, or give
// the largest.
std::uint16_t max_segments_of(rte_eth_desc_lim const& limits) {
  return limits.nb_mtu_seg_max != any_segments ? limits.nb_mtu_seg_max : std::uint16_t{0};
}

bool loses_without_link(port_facts const& facts) {
  return facts.interface_index != 0 && facts.traits().loses_without_link;
}

bool splits_to_gpu(port_facts const& facts) {
  return facts.access == packet_access::rdma && (facts.rx_offloads & RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT) != 0 &&
         (facts.rx_offloads & RTE_ETH_RX_OFFLOAD_SCATTER) != 0 &&
         (facts.tx_offloads & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0;
}

}  // namespace packetwarp

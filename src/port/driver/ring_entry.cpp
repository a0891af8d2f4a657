// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/driver/ring_entry.h"

#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>
#include <rte_kvargs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>

namespace packetwarp {
namespace {

// A received packet's IP header is so far from the beginning of the ring's entry (tpacket_rcv() of Linux).
constexpr std::uint32_t before_the_packet = 80;
// An entry's header, which no mbuf gets: TPACKET2_HDRLEN without its sockaddr_ll (eth_rx_queue_setup() of the driver).
constexpr std::uint32_t before_the_mbuf = 32;

struct free_arguments {
  void operator()(rte_kvargs* held) const { rte_kvargs_free(held); }
};

}  // namespace

std::uint32_t ring_entry_of(port_id id, driver_traits const& traits) {
  auto const& [argument, unset] = traits.entries;
  if (unset == 0) return 0;
  rte_eth_dev_info info{};
  if (rte_eth_dev_info_get(id.value(), &info) != 0 || info.device == nullptr) return unset;
  auto const* const words = rte_dev_devargs(info.device);
  if (words == nullptr || words->args == nullptr) return unset;
  std::unique_ptr<rte_kvargs, free_arguments> const all{rte_kvargs_parse(words->args, nullptr)};
  auto const* const said = all ? rte_kvargs_get(all.get(), std::string{argument}.c_str()) : nullptr;
  return said != nullptr ? static_cast<std::uint32_t>(std::strtoul(said, nullptr, 0)) : unset;
}

std::uint32_t packet_room_of(std::uint32_t ring_entry) {
  return std::max(ring_entry, before_the_packet) - before_the_packet;
}

std::uint64_t blocks_of(std::uint64_t ring_entry) {
  return std::lcm(ring_entry, static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

std::uint32_t mbuf_room_of(std::uint32_t ring_entry) { return std::max(ring_entry, before_the_mbuf) - before_the_mbuf; }

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/packet_limit.h"

#include <fmt/format.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "port/ring_entry.h"

namespace packetwarp::rdma {
namespace {

// A received packet's IP header is so far from the beginning of the ring's entry (tpacket_rcv() of Linux).
constexpr std::uint32_t before_the_packet = 80;

[[nodiscard]] std::uint32_t mtu_of_interface(port_facts const& facts) {
  ifreq asked{};
  std::strncpy(asked.ifr_name, facts.kernel_interface.c_str(), IFNAMSIZ - 1);
  int const any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int const result = ::ioctl(any, SIOCGIFMTU, &asked);
  int const error = errno;
  ::close(any);
  if (result != 0)
    throw failure(fmt::format("rdma: port {}: the MTU of interface {} cannot be read: {}", facts.name,
                              facts.kernel_interface, std::strerror(error)));
  return static_cast<std::uint32_t>(asked.ifr_mtu);
}

}  // namespace

packet_limit packet_limit_of(port_facts const& facts) {
  if (facts.driver != "net_af_packet")
    return {.as_it_is = facts.default_mtu, .most = std::max<std::uint32_t>(facts.default_mtu, facts.max_mtu)};
  auto const entry = ring_entry_of(facts.id);
  auto const bytes = std::min(mtu_of_interface(facts), std::max(entry, before_the_packet) - before_the_packet);
  return {.as_it_is = bytes, .most = bytes, .frame_room = entry};
}

}  // namespace packetwarp::rdma

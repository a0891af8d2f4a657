// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/link_news.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "port/interface_state.h"

namespace packetwarp {
namespace {

// A call reads no more messages than this; the next one goes on.
constexpr int most_messages = 256;

}  // namespace

link_news::link_news(std::string const& interface)
    : index_{::if_nametoindex(interface.c_str())},
      socket_{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE)} {
  sockaddr_nl all{};
  all.nl_family = AF_NETLINK;
  all.nl_groups = RTMGRP_LINK;
  if (!socket_ || ::bind(socket_.get(), reinterpret_cast<sockaddr const*>(&all), sizeof all) != 0) {
    throw failure(fmt::format("kernel interface {}: no rtnetlink socket: {}", interface, std::strerror(errno)));
  }
}

void link_news::read(nlmsghdr const& message) {
  bool const is_link = message.nlmsg_type == RTM_NEWLINK || message.nlmsg_type == RTM_DELLINK;
  if (!is_link || message.nlmsg_len < NLMSG_LENGTH(sizeof(ifinfomsg))) return;
  ifinfomsg said{};
  std::memcpy(&said, reinterpret_cast<std::byte const*>(&message) + NLMSG_HDRLEN, sizeof said);
  // A bridge tells of its ports by messages of its own family.
  if (said.ifi_family != AF_UNSPEC || static_cast<unsigned>(said.ifi_index) != index_) return;
  bool const is_up = (said.ifi_flags & IFF_UP) != 0;
  now_ = message.nlmsg_type == RTM_DELLINK ? state::elsewhere : is_up ? state::up : state::down;
  was_down_ |= now_ == state::down;
}

// Messages were lost.
void link_news::ask() {
  now_ = !name_of_interface(index_) ? state::elsewhere : is_interface_up(index_) ? state::up : state::down;
  was_down_ |= now_ == state::down;
}

link_news::change link_news::take() {
  alignas(nlmsghdr) std::array<std::byte, 32768> messages{};
  for (int n = 0; n < most_messages; ++n) {
    auto const size = ::recv(socket_.get(), messages.data(), messages.size(), MSG_DONTWAIT);
    if (size < 0 && errno == ENOBUFS) {
      ask();
      continue;
    }
    if (size <= 0) break;
    auto left = static_cast<std::uint32_t>(size);
    for (auto const* one = reinterpret_cast<nlmsghdr const*>(messages.data()); NLMSG_OK(one, left);
         one = NLMSG_NEXT(one, left)) {
      read(*one);
    }
  }
  bool const was_down = std::exchange(was_down_, false);
  auto const before = std::exchange(told_, now_);
  if (now_ == state::up) return was_down || before != state::up ? change::up : change::none;
  if (now_ == before) return change::none;
  return now_ == state::down ? change::down : change::left;
}

}  // namespace packetwarp

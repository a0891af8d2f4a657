// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/interface_state.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "base/process/owned_fd.h"

namespace packetwarp {

std::optional<std::uint32_t> mtu_of_interface(std::string const& name) {
  ifreq asked{};
  std::strncpy(asked.ifr_name, name.c_str(), IFNAMSIZ - 1);
  owned_fd const any{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (!any || ::ioctl(any.get(), SIOCGIFMTU, &asked) != 0) return std::nullopt;
  return static_cast<std::uint32_t>(asked.ifr_mtu);
}

bool is_interface_up(unsigned index) {
  ifreq asked{};
  if (::if_indextoname(index, asked.ifr_name) == nullptr) return false;
  owned_fd const any{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  constexpr int up = IFF_UP | IFF_RUNNING;
  return any && ::ioctl(any.get(), SIOCGIFFLAGS, &asked) == 0 && (asked.ifr_flags & up) == up;
}

std::optional<std::string> name_of_interface(unsigned index) {
  std::array<char, IF_NAMESIZE> name{};
  if (index == 0 || ::if_indextoname(index, name.data()) == nullptr) return std::nullopt;
  return name.data();
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/tap_hold.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace packetwarp {
namespace {

[[noreturn]] void refuse(std::string const& interface, std::string_view what, int error) {
  throw failure(fmt::format("kernel interface {} (tap): {}: {}", interface, what, std::strerror(error)));
}

}  // namespace

tap_hold::tap_hold(std::string const& interface)
    : interface_{interface}, descriptor_{::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK)} {
  if (descriptor_ < 0) refuse(interface, "/dev/net/tun cannot be opened", errno);
  ifreq asked{};
  std::copy_n(interface.data(), std::min(interface.size(), sizeof asked.ifr_name - 1), asked.ifr_name);
  asked.ifr_flags = IFF_TAP | IFF_MULTI_QUEUE;
  if (::ioctl(descriptor_, TUNSETIFF, &asked) == 0) return;
  int const error = errno;
  ::close(descriptor_);
  refuse(interface, "it could not be made; it takes CAP_NET_ADMIN", error);
}

tap_hold::~tap_hold() { ::close(descriptor_); }

void tap_hold::set_life(interface_life life) const {
  if (::ioctl(descriptor_, TUNSETPERSIST, life == interface_life::removed ? 1 : 0) != 0) {
    refuse(interface_, "its life cannot be changed (TUNSETPERSIST)", errno);
  }
}

}  // namespace packetwarp

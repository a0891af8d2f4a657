// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace packetwarp {

// How long an interface of /dev/net/tun lives.
enum class interface_life : std::uint8_t {
  attached,  // until no process is attached to it
  removed    // until it is removed
};

// A queue of a TAP interface that this process holds for a moment, beside the queues of its driver: a process with a
// queue can say how long the interface lives. Packets that the kernel sends by this queue meanwhile are lost. For any
// thread.
class tap_hold {
 public:
  // Attaches to the interface of that name; the kernel makes it if there is none, which takes CAP_NET_ADMIN. The flags
  // are those of DPDK's net_tap: an interface of other flags is refused by the kernel. Throws failure.
  explicit tap_hold(std::string const& interface);
  tap_hold(tap_hold const&) = delete;
  tap_hold& operator=(tap_hold const&) = delete;
  ~tap_hold();

  // Throws failure.
  void set_life(interface_life life) const;

 private:
  std::string interface_;
  int descriptor_{-1};
};

}  // namespace packetwarp

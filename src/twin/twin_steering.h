// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "burst/verdict.h"
#include "twin/twin_config.h"
#include "wire/address.h"

struct rte_mbuf;

namespace packetwarp {

// Whether a packet is of an address flow: to one of the addresses that the kernel has, by its headers alone. A NIC does
// this by its rules; this class is for receivers without such rules.
class twin_steering {
 public:
  explicit twin_steering(twin_config const& config);
  [[nodiscard]] bool is_hosts(rte_mbuf const& packet) const;

 private:
  std::uint64_t mac_;
  std::vector<wire::ipv4_address> ipv4_;
  std::vector<wire::ipv6_address> ipv6_;
};

// For packets of an RX queue that is the kernel's: the reason why the control plane must see a packet first, if any.
// The control plane hands on packets that the kernel has asked for.
[[nodiscard]] std::optional<punt_reason> why_control_plane(rte_mbuf const& packet);

}  // namespace packetwarp

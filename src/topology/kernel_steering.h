// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "function/router/neighbour.h"
#include "topology/kernel_config.h"
#include "wire/address.h"

struct rte_mbuf;

namespace packetwarp {

// Whether a packet is of an address flow: to one of the addresses that the kernel has, by its headers alone. What a NIC
// does by its rules, for who receives from one that has none.
class kernel_steering {
 public:
  explicit kernel_steering(kernel_config const& config);
  [[nodiscard]] bool is_kernels(rte_mbuf const& packet) const;

 private:
  std::uint64_t mac_;
  std::vector<wire::ipv4_address> ipv4_;
  std::vector<wire::ipv6_address> ipv6_;
};

// Of what came by an address flow: what the control plane has to see first.
[[nodiscard]] bool is_for_control_plane(rte_mbuf const& packet);

}  // namespace packetwarp

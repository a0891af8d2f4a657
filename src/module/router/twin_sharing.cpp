// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/twin_sharing.h"

#include <vector>

namespace packetwarp {

void share_with_twin(router_table& router, interface_index interface, twin_config const& twin) {
  std::vector<ip_address> shared;
  // With a MAC address of its own the twin is a host beside the router, and answers for itself.
  if (twin.mac == router.facts(interface).mac) {
    for (auto const& one : twin.addresses) {
      if (!router.is_own(interface, one.address)) router.add_address(interface, one);
      shared.push_back(one.address);
    }
  }
  router.share_with_kernel(interface, twin.mac, shared);
}

}  // namespace packetwarp

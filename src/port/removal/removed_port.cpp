// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/removal/removed_port.h"

#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

namespace packetwarp {

rte_device* removed_port::device() const {
  rte_eth_dev_info info{};
  return is_open_ && rte_eth_dev_info_get(id_.value(), &info) == 0 ? info.device : nullptr;
}

void removed_port::close() {
  if (!std::exchange(is_open_, false)) return;
  (void)rte_eth_dev_stop(id_.value());
  (void)rte_eth_dev_close(id_.value());
}

std::optional<std::string> give_back(std::vector<removed_port> ports) {
  auto* const device = ports.empty() ? nullptr : ports.front().device();
  for (auto& one : ports) one.close();
  // Mappings of GPU memory belong to the device: they end before it.
  ports.clear();
  if (device == nullptr) return std::nullopt;
  int const result = rte_dev_remove(device);
  return result == 0 ? std::nullopt : std::optional<std::string>{rte_strerror(-result)};
}

}  // namespace packetwarp

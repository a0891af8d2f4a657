// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/packet_access.h"

#include <rte_devargs.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace packetwarp {
namespace {

// The value of a key in "copy=1,size=60", or its default if the key is missing.
[[nodiscard]] int argument(std::string_view all, std::string_view key, int otherwise) {
  while (!all.empty()) {
    auto const one = all.substr(0, all.find(','));
    all.remove_prefix(std::min(one.size() + 1, all.size()));
    if (!one.starts_with(key) || one.size() <= key.size() || one[key.size()] != '=') continue;
    auto const value = one.substr(key.size() + 1);
    int number = otherwise;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
  }
  return otherwise;
}

}  // namespace

packet_access access_of(rte_eth_dev_info const& info) {
  std::string_view const driver{info.driver_name != nullptr ? info.driver_name : ""};
  auto const* const given = info.device != nullptr ? rte_dev_devargs(info.device) : nullptr;
  std::string_view const arguments{given != nullptr && given->args != nullptr ? given->args : ""};
  if (driver == "net_ring") return packet_access::none;
  if (driver == "net_null") return argument(arguments, "copy", 0) == 0 ? packet_access::none : packet_access::host_only;
  // By default the driver copies small packets into its descriptors, with the CPU.
  bool const inlines = argument(arguments, "txq_inline_max", 1) != 0;
  if (driver.starts_with("mlx5_") && !inlines) return packet_access::rdma;
  return packet_access::host_only;
}

}  // namespace packetwarp

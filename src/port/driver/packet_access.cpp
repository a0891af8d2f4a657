// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/driver/packet_access.h"

#include <rte_devargs.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "port/driver/driver_traits.h"

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
  auto const& rule = traits_of(info.driver_name != nullptr ? info.driver_name : "").access;
  if (rule.argument.empty()) return rule.usual;
  auto const* const given = info.device != nullptr ? rte_dev_devargs(info.device) : nullptr;
  std::string_view const arguments{given != nullptr && given->args != nullptr ? given->args : ""};
  return argument(arguments, rule.argument, rule.unset) == 0 ? rule.if_zero : rule.usual;
}

}  // namespace packetwarp

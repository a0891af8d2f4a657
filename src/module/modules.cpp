// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/modules.h"

#include <array>
#include <tuple>

#include "module/detect/detect_kind.h"
#include "module/inspection/inspection_kind.h"
#include "module/nat44/nat44_kind.h"
#include "module/router/router_kind.h"
#include "module/rules/rules_kind.h"

namespace packetwarp {
namespace {

template <class... Kinds>
[[nodiscard]] std::span<module_kind const* const> one_of_each() {
  static std::tuple<Kinds...> const all;
  static std::array<module_kind const*, sizeof...(Kinds)> const pointers{&std::get<Kinds>(all)...};
  return pointers;
}

}  // namespace

std::span<module_kind const* const> module_kinds() {
  return one_of_each<router_kind, nat44_kind, detect_kind, inspection_kind, rules_kind>();
}

}  // namespace packetwarp

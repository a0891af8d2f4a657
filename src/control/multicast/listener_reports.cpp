// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/multicast/listener_reports.h"

#include <algorithm>
#include <chrono>
#include <variant>

#include "control/multicast/group_address.h"
#include "routing/find_host.h"

namespace packetwarp {
namespace {

constexpr std::uint16_t shortest_mtu = 1280;  // RFC 8200, 5
// RFC 3810, 9.1, 9.2 and 9.11.
constexpr unsigned robustness = 2;
constexpr std::chrono::seconds query_interval{125};
constexpr std::chrono::seconds between_unasked{1};

[[nodiscard]] bool is_answer(listener_report form) { return form != listener_report::joined; }

}  // namespace

std::vector<wire::ipv6_address> groups_of(router_table const& tables, interface_index interface, kernel_beside kernel) {
  std::vector<wire::ipv6_address> all;
  auto const& facts = tables.facts(interface);
  if (facts.mtu < shortest_mtu) return all;
  auto const is_kernels = [&](ip_prefix const& one) {
    auto const* const own = std::get_if<wire::ipv6_address>(&one.address);
    return own != nullptr && (routing::find_own(tables.cpu(interface), *own) & hosts::kernel_bit) != 0;
  };
  bool const is_shared = kernel == kernel_beside::present && std::ranges::any_of(facts.addresses, is_kernels);
  for (auto const& one : facts.addresses) {
    auto const* const own = std::get_if<wire::ipv6_address>(&one.address);
    // A kernel interface with the same MAC address has the link-local address that follows from it, which is the first.
    bool const is_left_out = is_shared && (is_kernels(one) || &one == &facts.addresses.front());
    if (own == nullptr || is_left_out) continue;
    all.push_back(groups::solicited_node(*own));
    auto const anycast = anycast_of(one);
    if (anycast) all.push_back(groups::solicited_node(std::get<wire::ipv6_address>(*anycast)));
  }
  if (kernel == kernel_beside::none) all.push_back(groups::all_routers);
  std::sort(all.begin(), all.end(), [](auto a, auto b) { return a.low < b.low; });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void listener_reports::announce(interface_index interface, kernel_beside kernel) {
  std::erase_if(waiting_, [&](waiting const& one) {
    return one.what.interface == interface && one.what.form == listener_report::joined;
  });
  waiting_.push_back({{interface, listener_report::joined}, {}, robustness - 1, kernel});
}

void listener_reports::answer(interface_index interface, listener_query const& asked, std::uint32_t part,
                              control_time now) {
  auto const delay = std::chrono::duration_cast<std::chrono::milliseconds>(asked.most).count();
  auto const spread = static_cast<std::uint64_t>(delay) * part >> 32;
  auto const due = now + std::chrono::milliseconds{spread};
  auto const at = std::ranges::find_if(
      waiting_, [&](waiting const& one) { return one.what.interface == interface && is_answer(one.what.form); });
  if (at == waiting_.end()) {
    waiting_.push_back({{interface, asked.wanted}, due, 0, kernel_beside::none});
    return;
  }
  at->due = std::min(at->due, due);
  at->what.form = asked.wanted;
}

bool listener_reports::is_answering(interface_index interface) const {
  return std::ranges::any_of(
      waiting_, [&](waiting const& one) { return one.what.interface == interface && is_answer(one.what.form); });
}

bool listener_reports::is_due(control_time now) const {
  return std::ranges::any_of(waiting_, [&](waiting const& one) { return one.due <= now; });
}

listener_reports::report listener_reports::next(control_time now) {
  auto const at = std::ranges::find_if(waiting_, [&](waiting const& one) { return one.due <= now; });
  auto const said = at->what;
  if (at->more != 0) {
    --at->more;
    at->due = now + between_unasked;
  } else if (at->kernel == kernel_beside::present) {
    at->due = now + query_interval;
  } else {
    waiting_.erase(at);
  }
  return said;
}

}  // namespace packetwarp

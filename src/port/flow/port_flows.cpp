// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/flow/port_flows.h"

#include <fmt/format.h>
#include <rte_errno.h>

#include <algorithm>
#include <array>
#include <utility>

namespace packetwarp {
namespace {

[[nodiscard]] std::string text_of(rte_flow_error const& error, int number) {
  std::string const why = rte_strerror(number);
  return error.message == nullptr || error.message == why ? why : fmt::format("{} ({})", error.message, why);
}

// The cause may be an item or an action, or one of the structures that it points to.
[[nodiscard]] flow_refusal refusal_of(flow_arrays const& rule, rte_flow_error const& error, int number) {
  flow_refusal made{.reason = text_of(error, number)};
  if (error.cause == nullptr) return made;
  for (std::size_t n = 0; rule.pattern[n].type != RTE_FLOW_ITEM_TYPE_END; ++n) {
    auto const& item = rule.pattern[n];
    void const* const parts[] = {&item, item.spec, item.last, item.mask};
    if (std::find(std::begin(parts), std::end(parts), error.cause) != std::end(parts)) made.item = n;
  }
  for (std::size_t n = 0; rule.actions[n].type != RTE_FLOW_ACTION_TYPE_END; ++n) {
    auto const& action = rule.actions[n];
    if (error.cause == &action || error.cause == action.conf) made.action = n;
  }
  return made;
}

}  // namespace

void port_flows::forget() {
  flows_.clear();
  aside_.clear();
  stuck_.clear();
  refuses_ = "its device has been taken away";
}

void port_flows::pause() { refuses_ = "the port is being started again"; }

std::optional<flow_refusal> port_flows::validate(flow_arrays const& rule) const {
  if (!refuses_.empty()) return flow_refusal{.reason = std::string{refuses_}};
  rte_flow_error error{};
  int const result = rte_flow_validate(port_.value(), &rule.attr, rule.pattern, rule.actions, &error);
  if (result == 0) return std::nullopt;
  return refusal_of(rule, error, -result);
}

std::optional<flow_refusal> port_flows::create(std::uint32_t number, flow_arrays const& rule) {
  if (!refuses_.empty()) return flow_refusal{.reason = std::string{refuses_}};
  rte_flow_error error{};
  auto* const made = rte_flow_create(port_.value(), &rule.attr, rule.pattern, rule.actions, &error);
  if (made == nullptr) return refusal_of(rule, error, rte_errno);
  flows_.emplace(number, made);
  return std::nullopt;
}

std::optional<flow_refusal> port_flows::end(rte_flow* rule) {
  rte_flow_error error{};
  int const result = rte_flow_destroy(port_.value(), rule, &error);
  if (result == 0) return std::nullopt;
  return flow_refusal{.reason = text_of(error, -result)};
}

std::optional<flow_refusal> port_flows::destroy(std::uint32_t number) {
  auto const found = flows_.find(number);
  if (found == flows_.end()) return std::nullopt;
  if (auto refused = end(found->second)) return refused;
  flows_.erase(found);
  return std::nullopt;
}

std::optional<flow_refusal> port_flows::give_up_in(numbered& some, std::uint32_t number) {
  auto const node = some.extract(number);
  if (!node) return std::nullopt;
  auto refused = end(node.mapped());
  if (refused) stuck_.push_back(node.mapped());
  return refused;
}

std::optional<flow_refusal> port_flows::give_up(std::uint32_t number) { return give_up_in(flows_, number); }

std::optional<flow_refusal> port_flows::give_up_aside(std::uint32_t number) { return give_up_in(aside_, number); }

std::optional<flow_refusal> port_flows::destroy_stuck() {
  std::optional<flow_refusal> latest;
  std::erase_if(stuck_, [&](rte_flow* one) {
    auto refused = end(one);
    bool const is_destroyed = !refused;
    if (refused) latest = std::move(refused);
    return is_destroyed;
  });
  return latest;
}

void port_flows::clear() {
  (void)destroy_stuck();
  while (!flows_.empty()) (void)give_up(flows_.rbegin()->first);
  while (!aside_.empty()) (void)give_up_aside(aside_.rbegin()->first);
  stuck_.clear();
}

void port_flows::set_aside(std::uint32_t number) {
  if (auto node = flows_.extract(number)) aside_.insert(std::move(node));
}

void port_flows::take_back(std::uint32_t number) {
  if (auto node = aside_.extract(number)) flows_.insert(std::move(node));
}

std::optional<flow_count> port_flows::count(std::uint32_t number) const {
  auto const found = flows_.find(number);
  if (found == flows_.end()) return std::nullopt;
  std::array<rte_flow_action, 2> const what{
      {{.type = RTE_FLOW_ACTION_TYPE_COUNT, .conf = nullptr}, {.type = RTE_FLOW_ACTION_TYPE_END, .conf = nullptr}}};
  rte_flow_query_count seen{};
  rte_flow_error error{};
  if (rte_flow_query(port_.value(), found->second, what.data(), &seen, &error) != 0 || seen.hits_set == 0) {
    return std::nullopt;
  }
  return flow_count{.hits = seen.hits, .bytes = seen.bytes_set != 0 ? seen.bytes : 0};
}

std::optional<std::string> isolate_port(port_id port) {
  rte_flow_error error{};
  int const result = rte_flow_isolate(port.value(), 1, &error);
  if (result == 0) return std::nullopt;
  return text_of(error, -result);
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/error.h"
#include "flow/image.h"
#include "wire/big_endian.h"

namespace packetwarp::flow {
namespace {

[[nodiscard]] bool has_item(rule const& what, std::initializer_list<item_kind> kinds) {
  return std::any_of(what.pattern.begin(), what.pattern.end(),
                     [&](item const& one) { return std::find(kinds.begin(), kinds.end(), one.kind) != kinds.end(); });
}

template <class Rep>
[[nodiscard]] Rep host_number(image_bytes const& image, std::size_t at = 0) {
  Rep number{};
  std::memcpy(&number, image.data() + at, sizeof number);
  return number;
}

class action_compiler {
 public:
  action_compiler(rule const& what, rules_direction direction, port_id on, std::span<port_queues const> ports)
      : rule_{what}, direction_{direction}, on_{on}, ports_{ports} {}

  [[nodiscard]] std::vector<rules_action> run() {
    for (auto const& one : rule_.actions) add(one);
    // The action that sends the packet is carried out last, at any place in the rule: the other actions apply first.
    if (fate_) made_.push_back(*fate_);
    return std::move(made_);
  }

 private:
  void change(rules_verb verb, std::uint32_t value = 0) { made_.push_back({.verb = verb, .value = value}); }
  void change(rules_verb verb, image_bytes const& image, std::size_t size) {
    rules_action action{.verb = verb};
    std::copy_n(image.begin(), size, action.bytes);
    made_.push_back(action);
  }

  void end_with(action const& what, rules_verb verb, std::uint32_t value = 0) {
    if (fate_) {
      throw usage_error(fmt::format("action {}: the rule already says where its packets go; keep one of the two",
                                    grammar_of(what.kind).name));
    }
    fate_ = rules_action{.verb = verb, .value = value};
  }

  void need_item(action const& what, std::initializer_list<item_kind> kinds, std::string_view names) const {
    if (has_item(rule_, kinds)) return;
    throw usage_error(fmt::format("action {} needs {} in the pattern", grammar_of(what.kind).name, names));
  }
  void need_direction(action const& what, rules_direction wanted, std::string_view name) const {
    if (direction_ == wanted) return;
    throw usage_error(fmt::format("action {} is for {} rules", grammar_of(what.kind).name, name));
  }

  // A rule has one counter: each of its `count` actions shows the same figures. rte_flow.h: "each action must specify a
  // unique ID".
  void count(std::uint32_t id) {
    if (!counts_.insert(id).second) {
      throw usage_error(fmt::format(
          "action count: identifier {} is there twice; leave out one of the two, or give each its own", id));
    }
    if (counts_.size() == 1) change(rules_verb::count);
  }

  [[nodiscard]] port_queues queues() const {
    auto const found = std::find_if(ports_.begin(), ports_.end(), [&](auto const& one) { return one.port == on_; });
    if (found == ports_.end()) throw usage_error(fmt::format("port {} is not among the ports in use", on_.value()));
    return *found;
  }

  // Receive queues are the host's; a packet to a hairpin queue leaves by its peer.
  [[nodiscard]] std::optional<port_id> beyond_queue(std::uint16_t queue) const {
    auto const known = queues();
    if (queue < known.receive) return std::nullopt;
    if (queue < known.receive + known.hairpin && known.hairpin_peer) return known.hairpin_peer;
    throw usage_error(
        fmt::format("queue {} is not there: port {} has {} receive and {} hairpin queues, numbered from 0", queue,
                    on_.value(), known.receive, known.hairpin_peer ? known.hairpin : 0));
  }

  void end_in_queues(action const& what, std::vector<std::uint16_t> const& into) {
    need_direction(what, rules_direction::ingress, "ingress");
    if (into.empty()) throw usage_error("action rss names no queues; name one at least");
    auto const first = beyond_queue(into.front());
    for (auto const queue : into) {
      if (beyond_queue(queue) == first) continue;
      throw usage_error("action rss names receive queues and hairpin queues; name one kind of them");
    }
    if (first) {
      end_with(what, rules_verb::leave, first->value());
    } else {
      end_with(what, rules_verb::to_host);
    }
  }

  void end_at_port(action const& what, std::uint32_t port) {
    if (direction_ == rules_direction::egress) need_direction(what, rules_direction::transfer, "transfer and ingress");
    if (port >= max_rules_ports) {
      throw usage_error(fmt::format("action {}: ports are 0 to {}", grammar_of(what.kind).name, max_rules_ports - 1));
    }
    end_with(what, rules_verb::leave, port);
  }

  // A packet that a jump leaves in its group meets the same rule again.
  void end_in_group(action const& what, std::uint32_t group) {
    if (group == rule_.attr.group.value_or(0)) {
      throw usage_error(fmt::format("action jump: group {} is the rule's own; give another one", group));
    }
    end_with(what, rules_verb::jump, group);
  }

  void add(action const& what) {
    auto const image = image_of(what);
    switch (what.kind) {
      case action_kind::void_action:
      case action_kind::mark:
        return;
      case action_kind::passthru:
        return end_with(what, rules_verb::pass_through);
      case action_kind::jump:
        return end_in_group(what, host_number<std::uint32_t>(image));
      case action_kind::queue:
        return end_in_queues(what, {host_number<std::uint16_t>(image)});
      case action_kind::rss:
        return end_in_queues(what, what.rss.queues.value_or(std::vector<std::uint16_t>{0}));
      case action_kind::drop:
        return end_with(what, rules_verb::drop);
      case action_kind::port_id:
        return end_at_port(
            what, host_number<std::uint32_t>(image) % 2 == 1 ? on_.value() : host_number<std::uint32_t>(image, 4));
      case action_kind::represented_port:
        return end_at_port(what, host_number<std::uint16_t>(image));
      case action_kind::count:
        return count(host_number<std::uint32_t>(image));
      default:
        return add_change(what, image);
    }
  }

  void add_change(action const& what, image_bytes const& image) {
    switch (what.kind) {
      case action_kind::of_pop_vlan:
        return change(rules_verb::pop_vlan);
      case action_kind::of_push_vlan: {
        auto const type = wire::load_be<std::uint16_t>(image.data());
        if (type != 0x8100 && type != 0x88a8) throw usage_error("action of_push_vlan: ethertype is 0x8100 or 0x88a8");
        return change(rules_verb::push_vlan, type);
      }
      case action_kind::of_set_vlan_vid:
        return change(rules_verb::set_vlan_id, wire::load_be<std::uint16_t>(image.data()) & 0xfffU);
      case action_kind::of_set_vlan_pcp:
        return change(rules_verb::set_vlan_priority, std::to_integer<std::uint32_t>(image[0]) & 7U);
      case action_kind::set_mac_src:
        return change(rules_verb::set_mac_source, image, 6);
      case action_kind::set_mac_dst:
        return change(rules_verb::set_mac_destination, image, 6);
      case action_kind::dec_ttl:
        need_item(what, {item_kind::ipv4, item_kind::ipv6}, "ipv4 or ipv6");
        return change(rules_verb::decrement_ttl);
      case action_kind::set_ttl:
        need_item(what, {item_kind::ipv4, item_kind::ipv6}, "ipv4 or ipv6");
        return change(rules_verb::set_ttl, std::to_integer<std::uint32_t>(image[0]));
      default:
        return add_address(what, image);
    }
  }

  void add_address(action const& what, image_bytes const& image) {
    switch (what.kind) {
      case action_kind::set_ipv4_src:
      case action_kind::set_ipv4_dst:
        need_item(what, {item_kind::ipv4}, "ipv4");
        return change(
            what.kind == action_kind::set_ipv4_src ? rules_verb::set_ipv4_source : rules_verb::set_ipv4_destination,
            wire::load_be<std::uint32_t>(image.data()));
      case action_kind::set_ipv6_src:
      case action_kind::set_ipv6_dst:
        need_item(what, {item_kind::ipv6}, "ipv6");
        return change(
            what.kind == action_kind::set_ipv6_src ? rules_verb::set_ipv6_source : rules_verb::set_ipv6_destination,
            image, 16);
      default:
        need_item(what, {item_kind::udp, item_kind::tcp}, "udp or tcp");
        return change(
            what.kind == action_kind::set_tp_src ? rules_verb::set_source_port : rules_verb::set_destination_port,
            wire::load_be<std::uint16_t>(image.data()));
    }
  }

  rule const& rule_;
  rules_direction direction_;
  port_id on_;
  std::span<port_queues const> ports_;
  std::vector<rules_action> made_;
  std::optional<rules_action> fate_;
  std::set<std::uint32_t> counts_;
};

}  // namespace

std::vector<rules_action> compile_actions(rule const& what, rules_direction direction, port_id on,
                                          std::span<port_queues const> ports) {
  return action_compiler{what, direction, on, ports}.run();
}

std::vector<std::string> undone(rule const& what) {
  std::vector<std::string> lines;
  for (auto const& one : what.actions) {
    if (one.kind == action_kind::mark) lines.emplace_back("mark sets nothing: there is no one to read it");
    if (one.kind == action_kind::rss) lines.emplace_back("rss chooses no queue: the host's packets go to the kernel");
  }
  return lines;
}

}  // namespace packetwarp::flow

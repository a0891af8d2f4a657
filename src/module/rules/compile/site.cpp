// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "module/rules/compile/fate.h"
#include "module/rules/compile/ordered_rules.h"
#include "module/rules/compile/overlap.h"

namespace packetwarp::flow {
namespace {

class sharing {
 public:
  sharing(rule_book const& book, compiled_rules const& compiled, std::span<site_port const> ports,
          rule_refusals const& refused)
      : book_{book}, compiled_{compiled}, ports_{ports}, why_{refused} {}

  [[nodiscard]] std::vector<sited_rule> run(rule_site tables) {
    for (auto const port : book_.ports()) share_egress(port);
    for (auto const port : book_.ports()) share_ingress(port);
    std::vector<sited_rule> sited;
    for (auto const port : book_.ports()) {
      for (auto const& one : book_.rules_of(port)) {
        auto const found = why_.find({port, one.number});
        bool const is_nics = found == why_.end();
        sited.push_back({port, one.number, is_nics ? rule_site::nic : tables, is_nics ? "" : found->second});
      }
    }
    return sited;
  }

 private:
  void refuse(port_id port, known_rule const& one, std::string const& why) {
    why_.try_emplace({port, one.written->number}, why);
  }
  [[nodiscard]] bool is_refused(port_id port, known_rule const& one) const {
    return why_.contains({port, one.written->number});
  }

  void share_egress(port_id port) {
    std::vector<known_rule> all;
    std::optional<std::string> why;
    for (auto const& [key, rules] : groups_of(book_, compiled_, port)) {
      if (key.first != rules_direction::egress) continue;
      for (auto const& one : rules) {
        if (is_refused(port, one)) why = fmt::format("its port refuses egress rule {}", one.written->number);
        auto const verb = fate_of(*one.made).verb;
        if (verb == rules_verb::jump || verb == rules_verb::pass_through) {
          why = fmt::format("egress rule {} hands on to other rules", one.written->number);
        }
        all.push_back(one);
      }
    }
    if (!why) why = disorder(all);
    if (!all.empty()) egress_[port] = why ? rule_site::cpu : rule_site::nic;
    if (!why) return;
    for (auto const& one : all) refuse(port, one, *why);
  }

  [[nodiscard]] site_port::hairpin hairpin_of(port_id port) const {
    auto const found = std::find_if(ports_.begin(), ports_.end(), [&](auto const& p) { return p.port == port; });
    return found == ports_.end() ? site_port::hairpin::none : found->queues;
  }

  // The reason why a NIC cannot run a rule, independent of other rules.
  [[nodiscard]] std::optional<std::string> fault_of(port_id port, known_rule const& one) const {
    auto const fate = fate_of(*one.made);
    switch (fate.verb) {
      case rules_verb::drop:
        return std::nullopt;
      case rules_verb::leave:
        return fault_of_leaving(port, one, port_id{static_cast<std::uint16_t>(fate.value)});
      case rules_verb::pass_through:
        return "it passes packets on to other rules";
      case rules_verb::jump:
        if (!book_.is_isolated(port)) return "it jumps, and its port is not isolated";
        [[fallthrough]];
      default:
        // A packet that misses after a jump, or goes to the host, has not met the ingress rules of the NIC.
        if (one.made->direction == rules_direction::transfer) return "it is of transfer and neither drops nor sends";
        if (changes_packets(*one.made)) return "it changes packets that the executor sees again";
        return std::nullopt;
    }
  }

  [[nodiscard]] std::optional<std::string> fault_of_leaving(port_id port, known_rule const& one, port_id by) const {
    auto const egress = egress_.find(by);
    bool const has_egress = egress != egress_.end();
    if (names_a_port(one.written->what)) {
      if (has_egress) return fmt::format("port {} has egress rules, which a NIC would leave out", by.value());
      return std::nullopt;
    }
    auto const queues = hairpin_of(port);
    if (queues == site_port::hairpin::none) return "its port has no hairpin queues";
    if (!has_egress) return std::nullopt;
    if (egress->second != rule_site::nic) {
      return fmt::format("the egress rules of port {} are in the table", by.value());
    }
    if (queues == site_port::hairpin::by_driver) {
      return fmt::format("port {} has egress rules, and the hairpin mode leaves what is done there to the driver",
                         by.value());
    }
    return std::nullopt;
  }

  // The reason why a NIC cannot run all of a group after a jump. seen: the groups on the way there.
  [[nodiscard]] std::optional<std::string> fault_of_group(port_id port, port_groups const& all, group_key which,
                                                          std::set<group_key>& seen) {
    if (seen.contains(which)) return fmt::format("group {} leads back to itself", which.second);
    auto const known = group_faults_.find({port, which});
    if (known != group_faults_.end()) return known->second;
    auto& fault = group_faults_[{port, which}];
    auto const found = all.find(which);
    if (found == all.end()) return std::nullopt;
    seen.insert(which);
    for (auto const& one : found->second) {
      if (fault) break;
      if (is_refused(port, one)) {
        fault = fmt::format("group {}: its port refuses rule {}", which.second, one.written->number);
      } else if (auto const why = fault_of(port, one)) {
        fault = fmt::format("group {}: rule {}: {}", which.second, one.written->number, *why);
      } else if (auto const fate = fate_of(*one.made); fate.verb == rules_verb::jump) {
        fault = fault_of_group(port, all, {which.first, fate.value}, seen);
      }
    }
    if (!fault) fault = disorder(found->second);
    seen.erase(which);
    return fault;
  }

  void share_ingress(port_id port) {
    auto const all = groups_of(book_, compiled_, port);
    std::vector<known_rule> first;
    for (auto const direction : {rules_direction::transfer, rules_direction::ingress}) {
      auto const found = all.find({direction, 0});
      if (found != all.end()) first.insert(first.end(), found->second.begin(), found->second.end());
    }
    auto const reached = share_first_group(port, all, first);
    for (auto const& [key, rules] : all) {
      if (key.first == rules_direction::egress || key.second == 0 || reached.contains(key)) continue;
      for (auto const& one : rules) refuse(port, one, "no rule of the NIC leads to its group");
    }
  }

  // The groups that the NIC then has too.
  [[nodiscard]] std::set<group_key> share_first_group(port_id port, port_groups const& all,
                                                      std::vector<known_rule> const& first) {
    constexpr overlap_index::label in_table = 0;
    std::set<group_key> reached;
    overlap_index index{inputs_of(first)};
    for (auto const& one : first) {
      auto const own = 1 + (std::uint64_t{one.made->priority} << 2 | static_cast<std::uint64_t>(one.made->direction));
      std::optional<std::string> why;
      std::set<group_key> seen;
      auto const fate = fate_of(*one.made);
      if (index.shapes() > most_shapes) {
        why = too_many_shapes(index.shapes());
      } else if (!(why = fault_of(port, one)) && fate.verb == rules_verb::jump) {
        why = fault_of_group(port, all, {one.made->direction, fate.value}, seen);
      }
      if (!why && index.meets(*one.made, in_table)) why = "an earlier rule that is in the table may match its packets";
      if (!why && index.meets(*one.made, own)) why = same_priority(*one.written);
      if (why) refuse(port, one, *why);
      bool const is_nics = !is_refused(port, one);
      if (index.shapes() <= most_shapes) index.add(*one.made, is_nics ? own : in_table);
      if (is_nics && fate.verb == rules_verb::jump) reach(all, {one.made->direction, fate.value}, reached);
    }
    return reached;
  }

  static void reach(port_groups const& all, group_key which, std::set<group_key>& reached) {
    auto const found = all.find(which);
    if (found == all.end() || !reached.insert(which).second) return;
    for (auto const& one : found->second) {
      auto const fate = fate_of(*one.made);
      if (fate.verb == rules_verb::jump) reach(all, {which.first, fate.value}, reached);
    }
  }

  rule_book const& book_;
  compiled_rules const& compiled_;
  std::span<site_port const> ports_;
  rule_refusals why_;
  std::map<port_id, rule_site> egress_;  // of ports that have egress rules: nic, or not
  std::map<std::pair<port_id, group_key>, std::optional<std::string>> group_faults_;
};

}  // namespace

std::string_view to_string(rule_site site) {
  switch (site) {
    case rule_site::nic:
      return "nic";
    case rule_site::gpu:
      return "gpu";
    case rule_site::cpu:
      return "cpu";
  }
  return "unknown";
}

std::vector<sited_rule> share_out(rule_book const& book, compiled_rules const& compiled,
                                  std::span<site_port const> ports, rule_refusals const& refused, rule_site tables) {
  return sharing{book, compiled, ports, refused}.run(tables);
}

std::vector<sited_rule> all_at(rule_book const& book, rule_site site) {
  std::vector<sited_rule> all;
  for (auto const port : book.ports()) {
    for (auto const& one : book.rules_of(port)) all.push_back({port, one.number, site, ""});
  }
  return all;
}

compiled_rules without_egress_of_nics(compiled_rules const& compiled, std::span<sited_rule const> sited) {
  compiled_rules made{.all = {}, .ports = compiled.ports, .position = {}, .notes = compiled.notes};
  for (auto const& one : sited) {
    auto const& rule = compiled.all[compiled.position.at({one.port, one.number})];
    if (one.site == rule_site::nic && rule.direction == rules_direction::egress) continue;
    made.position[{one.port, one.number}] = made.all.size();
    made.all.push_back(rule);
  }
  return made;
}

}  // namespace packetwarp::flow

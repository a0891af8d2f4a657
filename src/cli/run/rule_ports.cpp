// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/rule_ports.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "flow/compile/fate.h"
#include "flow/compile/nic.h"
#include "flow/grammar.h"
#include "flow/rule_place.h"

namespace packetwarp {
namespace {

[[nodiscard]] flow::nic_rule arrays_of(flow::rule const& what, std::uint16_t receive_queues) {
  return flow::nic_rule{what, {.types = flow::default_rss_types, .queues = receive_queues}};
}

[[nodiscard]] flow_arrays view_of(flow::nic_rule const& rule) {
  return {.attr = rule.attr(), .pattern = rule.pattern(), .actions = rule.actions()};
}

// Nothing for a port that rules name and the network does not have.
[[nodiscard]] port* find(std::deque<port>& ports, port_id id) {
  auto const found = std::find_if(ports.begin(), ports.end(), [&](auto const& p) { return p.facts().id == id; });
  return found == ports.end() ? nullptr : &*found;
}

}  // namespace

void rule_ports::refuse(std::string const& why) const {
  throw usage_error(fmt::format("{}:{}: rules: {}", file_, config_.line, why));
}

std::vector<flow::port_queues> rule_ports::queues(std::vector<port_id> const& ports) const {
  std::vector<flow::port_queues> all;
  for (std::size_t n = 0; n < ports.size(); ++n) {
    all.push_back({.port = ports[n],
                   .receive = config_.receive_queues,
                   .hairpin = config_.hairpin_queues,
                   .hairpin_peer = ports[hairpin_next(config_.hairpin.peers, ports.size(), n)]});
  }
  return all;
}

void rule_ports::prepare(plan& planned) {
  if (!asks_nics()) return;
  require_receive_queues(planned);
  if (config_.hairpin_queues != 0 && !odd_queues_) give_hairpin_queues(planned);
  // Rules that are shared out leave isolation to the table, which has to see what a NIC would drop.
  if (config_.on != rules_on::nic) return;
  for (auto& port : planned.ports) {
    if (book_.is_isolated(port.facts.id)) port.config.isolation = port_isolation::on;
  }
}

void rule_ports::require_receive_queues(plan const& planned) {
  for (auto const& port : planned.ports) {
    if (port.config.rx_queues == config_.receive_queues) continue;
    odd_queues_ =
        fmt::format("port {} ({}) has {} receive queues in use, and rules speak of {}; give data_plane.pipelines: {}",
                    port.facts.id.value(), port.facts.name, port.config.rx_queues, config_.receive_queues,
                    config_.receive_queues * planned.ports.size());
    if (config_.on == rules_on::nic) refuse(*odd_queues_);
    return;
  }
}

void rule_ports::give_hairpin_queues(plan& planned) {
  auto& ports = planned.ports;
  for (auto const& port : ports) {
    if (auto const lack = hairpin_lack(port.facts, config_.hairpin_queues)) {
      if (config_.on == rules_on::nic) refuse(fmt::format("hairpin_queues: {}", *lack));
      planned.notices.push_back(fmt::format("{}; what rules send to hairpin queues is sent by the executor", *lack));
      return;
    }
  }
  for (std::size_t n = 0; n < ports.size(); ++n) {
    auto const& next = ports[hairpin_next(config_.hairpin.peers, ports.size(), n)];
    auto const& previous = ports[hairpin_previous(config_.hairpin.peers, ports.size(), n)];
    ports[n].config.hairpin = {.queues = config_.hairpin_queues,
                               .mode = config_.hairpin,
                               .next = next.facts.id,
                               .next_tx = queue_id{next.config.tx_queues},
                               .previous = previous.facts.id,
                               .previous_rx = queue_id{previous.config.rx_queues}};
    require_possible(ports[n].facts, ports[n].config);
  }
  hairpin_ = config_.hairpin.tx == hairpin_tx::by_rules ? flow::site_port::hairpin::by_rules
                                                        : flow::site_port::hairpin::by_driver;
}

std::string rule_ports::place_of(flow::numbered_rule const& one, flow_refusal const& refusal) const {
  return flow::place_of(config_.file, one.line, {.item = refusal.item, .action = refusal.action});
}

void rule_ports::create_all(std::deque<port>& ports) const {
  for (auto const id : book_.ports()) {
    if (book_.rules_of(id).empty()) continue;
    auto* const on = find(ports, id);
    for (auto const& one : book_.rules_of(id)) {
      if (on == nullptr) {
        throw usage_error(fmt::format("{}: port {} is not among the ports in use", place_of(one, {}), id.value()));
      }
      auto const rule = arrays_of(one.what, config_.receive_queues);
      auto refused = on->flows().validate(view_of(rule));
      if (!refused) refused = on->flows().create(one.number, view_of(rule));
      if (!refused) continue;
      for (auto& port : ports) port.flows().clear();
      throw usage_error(
          fmt::format("{}: port {} ({}) refuses the rule: {}; rules.on: auto leaves such rules to the executor",
                      place_of(one, *refused), id.value(), on->facts().name, refused->reason));
    }
  }
}

flow::rule_refusals rule_ports::ask(std::deque<port> const& ports) const {
  flow::rule_refusals refused;
  for (auto const id : book_.ports()) {
    auto const on = std::find_if(ports.begin(), ports.end(), [&](auto const& p) { return p.facts().id == id; });
    for (auto const& one : book_.rules_of(id)) {
      if (on == ports.end()) {
        refused[{id, one.number}] = "its port is not among the ports in use";
      } else if (odd_queues_ && flow::names_queues(one.what)) {
        refused[{id, one.number}] = *odd_queues_;
      } else if (auto const no = on->flows().validate(view_of(arrays_of(one.what, config_.receive_queues)))) {
        refused[{id, one.number}] = fmt::format("its port refuses it: {}", no->reason);
      }
    }
  }
  return refused;
}

std::vector<flow::sited_rule> rule_ports::share_out(std::deque<port>& ports, flow::compiled_rules const& compiled,
                                                    flow::rule_site tables) const {
  std::vector<flow::site_port> known;
  known.reserve(ports.size());
  for (auto const& port : ports) known.push_back({.port = port.facts().id, .queues = hairpin_});
  auto refused = ask(ports);
  auto const planned = flow::share_out(book_, compiled, known, refused, tables);
  auto site = planned.begin();
  for (auto const id : book_.ports()) {
    auto* const on = find(ports, id);
    for (auto const& one : book_.rules_of(id)) {
      if ((site++)->site != flow::rule_site::nic || on == nullptr) continue;
      auto const rule = arrays_of(one.what, config_.receive_queues);
      if (auto const no = on->flows().create(one.number, view_of(rule))) {
        refused[{id, one.number}] = fmt::format("its port refuses it: {}", no->reason);
      }
    }
  }
  // What a NIC did not take in the end may take others along: never the other way round.
  auto made = flow::share_out(book_, compiled, known, refused, tables);
  for (auto const& one : made) {
    auto* const on = find(ports, one.port);
    if (one.site != flow::rule_site::nic && on != nullptr) on->flows().destroy(one.number);
  }
  return made;
}

}  // namespace packetwarp

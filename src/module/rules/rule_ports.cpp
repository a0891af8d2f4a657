// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rule_ports.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "flow/grammar.h"
#include "flow/nic.h"
#include "flow/rule_place.h"
#include "module/rules/compile/fate.h"

namespace packetwarp {
namespace {

[[nodiscard]] flow::nic_rule arrays_of(flow::rule const& what, std::uint16_t receive_queues) {
  return flow::nic_rule{what, {.types = flow::default_rss_types, .queues = receive_queues}};
}

[[nodiscard]] flow_arrays view_of(flow::nic_rule const& rule) {
  return {.attr = rule.attr(), .pattern = rule.pattern(), .actions = rule.actions()};
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
  // If rules are shared out, isolation is the table's, which has to see packets that a NIC would drop.
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
      planned.notices.push_back(
          fmt::format("{}; packets that rules send to hairpin queues are sent by the executor", *lack));
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

void rule_ports::use(std::deque<port>& ports) {
  for (auto& one : ports) ports_[one.facts().id] = &one;
}

std::vector<flow::site_port> rule_ports::known() const {
  std::vector<flow::site_port> all;
  for (auto const& [id, port] : ports_) all.push_back({.port = id, .queues = hairpin_});
  return all;
}

std::string rule_ports::no_letting_go(flow::rule_key const& key, std::string const& reason) const {
  return fmt::format("port {} ({}) does not let go of rule {}: {}", key.first.value(),
                     ports_.at(key.first)->facts().name, key.second, reason);
}

port_flows* rule_ports::flows_of(port_id id) const {
  auto const found = ports_.find(id);
  return found == ports_.end() ? nullptr : &found->second->flows();
}

bool rule_ports::asks_driver(port_id id) const {
  auto const* const flows = flows_of(id);
  return flows != nullptr && flows->asks_driver();
}

void rule_ports::tell(flow_refusal const& refusal, port_id id, flow::numbered_rule const& one,
                      std::string const& file) const {
  auto const place = one.line == 0 ? std::string{"flow"}
                                   : flow::place_of(file, one.line, {.item = refusal.item, .action = refusal.action});
  auto const name = fmt::format("{} ({})", id.value(), ports_.at(id)->facts().name);
  throw usage_error(fmt::format("{}: port {} refuses the rule: {}; rules.on: auto leaves such rules to the executor",
                                place, name, refusal.reason));
}

void rule_ports::require_taken(port_id id, flow::numbered_rule const& one, std::string const& file) const {
  auto* const flows = flows_of(id);
  if (flows == nullptr) {
    throw usage_error(
        fmt::format("{}: port {} is not among the ports in use", flow::place_of(file, one.line, {}), id.value()));
  }
  auto const rule = arrays_of(one.what, config_.receive_queues);
  if (auto const refused = flows->validate(view_of(rule))) tell(*refused, id, one, file);
}

void rule_ports::require_created(port_id id, flow::numbered_rule const& one, std::string const& file) const {
  auto const rule = arrays_of(one.what, config_.receive_queues);
  if (auto const refused = flows_of(id)->create(one.number, view_of(rule))) tell(*refused, id, one, file);
}

void rule_ports::create_all() const {
  try {
    for (auto const id : book_.ports()) {
      for (auto const& one : book_.rules_of(id)) {
        require_taken(id, one, config_.file);
        require_created(id, one, config_.file);
      }
    }
  } catch (usage_error const&) {
    for (auto const& [id, port] : ports_) port->flows().clear();
    throw;
  }
}

std::optional<std::string> rule_ports::ask(port_id id, flow::numbered_rule const& one) const {
  auto const* const flows = flows_of(id);
  if (flows == nullptr) return "its port is not among the ports in use";
  if (odd_queues_ && flow::names_queues(one.what)) return odd_queues_;
  auto const no = flows->validate(view_of(arrays_of(one.what, config_.receive_queues)));
  return no ? std::optional{fmt::format("its port refuses it: {}", no->reason)} : std::nullopt;
}

std::optional<std::string> rule_ports::create(port_id id, flow::numbered_rule const& one) const {
  auto const rule = arrays_of(one.what, config_.receive_queues);
  auto const no = flows_of(id)->create(one.number, view_of(rule));
  return no ? std::optional{fmt::format("its port refuses it: {}", no->reason)} : std::nullopt;
}

std::optional<rules_counter> rule_ports::counted(flow::rule_key const& key) const {
  auto const* const flows = flows_of(key.first);
  auto const count = flows == nullptr ? std::nullopt : flows->count(key.second);
  return count ? std::optional{rules_counter{.hits = count->hits, .bytes = count->bytes}} : std::nullopt;
}

flow::rule_refusals rule_ports::ask_all() const {
  flow::rule_refusals refused;
  for (auto const id : book_.ports()) {
    for (auto const& one : book_.rules_of(id)) {
      if (auto no = ask(id, one)) refused[{id, one.number}] = std::move(*no);
    }
  }
  return refused;
}

rule_ports::shared_rules rule_ports::share_out(flow::compiled_rules const& compiled, flow::rule_site tables) const {
  auto const ports = known();
  auto refused = ask_all();
  flow::rule_keys retry;
  for (auto const& one : flow::share_out(book_, compiled, ports, refused, tables)) {
    if (one.site != flow::rule_site::nic) continue;
    if (auto no = create(one.port, book_.at(one.port, one.number))) {
      refused[{one.port, one.number}] = std::move(*no);
      retry.emplace(one.port, one.number);
    }
  }
  // A rule that a NIC refused in the end may take others from the NIC with it; it never adds any.
  auto made = flow::share_out(book_, compiled, ports, refused, tables);
  for (auto const& one : made) {
    auto* const flows = flows_of(one.port);
    if (one.site == flow::rule_site::nic || flows == nullptr) continue;
    if (auto const no = flows->destroy(one.number)) {
      throw failure(fmt::format("{}; start again, or with rules.on: {}",
                                no_letting_go({one.port, one.number}, no->reason), to_string(tables)));
    }
  }
  return {std::move(made), std::move(refused), std::move(retry)};
}

}  // namespace packetwarp

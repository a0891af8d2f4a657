// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/network_reporter.h"

#include <map>
#include <string>
#include <utility>

#include "network/control_report.h"

namespace packetwarp {
namespace {

// A rule's count may be in a NIC, or in a GPU's memory.
constexpr std::size_t reported_a_slice = 64;

[[nodiscard]] telemetry::rule_report report_on(rule_status const& one) {
  telemetry::rule_report said{.port = one.port.value(),
                              .number = one.rule->number,
                              .line = one.rule->line,
                              .group = one.rule->what.attr.group.value_or(0),
                              .priority = one.rule->what.attr.priority.value_or(0),
                              .on = std::string{to_string(one.site)},
                              .why = one.why};
  if (!one.seen) return said;
  said.hits = one.seen->hits;
  said.bytes = one.seen->bytes;
  return said;
}

}  // namespace

network_reporter::network_reporter(std::string command, network& net, supervisor const& watches)
    : net_{net}, path_{std::move(command), net.plane(), watches} {}

std::optional<telemetry::run_report> network_reporter::step() {
  if (!count_sessions() || !count_rules()) return std::nullopt;
  auto report = path_.now();
  add_parts(report);
  return report;
}

telemetry::run_report network_reporter::at_end() {
  // From the beginning: it may have been in the middle.
  tally_.reset();
  sessions_.reset();
  rules_.clear();
  while (!count_sessions()) {
  }
  // What a kernel still runs on cannot be read.
  while (!net_.plane().runs_on() && !count_rules()) {
  }
  auto report = path_.at_end();
  add_parts(report);
  return report;
}

bool network_reporter::count_sessions() {
  if (net_.nat() == nullptr || sessions_) return true;
  if (!tally_) tally_.emplace(net_.nat()->table());
  sessions_ = tally_->step();
  return sessions_.has_value();
}

bool network_reporter::count_rules() {
  auto const* const rules = net_.rules();
  if (rules == nullptr) return true;
  if (std::exchange(rules_version_, rules->version()) != rules->version()) rules_.clear();
  for (auto const& one : rules->status(rules_.size(), rules_.size() + reported_a_slice)) {
    rules_.push_back(report_on(one));
  }
  return rules_.size() == rules->size();
}

void network_reporter::name_interfaces(telemetry::run_report& in) const {
  std::map<unsigned, std::string> names;  // by port
  auto const& planned = net_.plane().planned().ports;
  auto const& interfaces = net_.settings().config.interfaces;
  for (std::size_t n = 0; n < interfaces.size(); ++n) names[planned[n].facts.id.value()] = interfaces[n].name;
  for (auto& one : in.ports) one.interface = names[one.id];
  for (auto& one : in.pipelines) one.interface = names[one.rx_port];
}

void network_reporter::add_parts(telemetry::run_report& to) {
  name_interfaces(to);
  to.control = make_control_report(net_.control().counters(), net_.plane());
  to.twins = make_twin_report(net_.plane());
  to.nat = std::exchange(sessions_, std::nullopt);
  if (to.nat) to.nat->unlogged += lost_lines(*net_.nat());
  tally_.reset();
  if (net_.rules() == nullptr) return;
  to.rules = std::exchange(rules_, {});
  // They change with the rules.
  auto const notices = net_.rules()->notices();
  to.notices.insert(to.notices.end(), notices.begin(), notices.end());
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rules_module.h"

#include <algorithm>
#include <string>
#include <utility>

#include "function/rules/rules_table.h"
#include "module/rules/rules_source.h"
#include "module/rules/rules_work.h"

namespace packetwarp {
namespace {

// A rule's count may be in a NIC, or in a GPU's memory, so this many per call.
constexpr std::size_t reported_a_slice = 64;

[[nodiscard]] rule_report report_on(rule_status const& one, std::string interface) {
  rule_report said{.port = one.port.value(),
                   .interface = std::move(interface),
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

rules_module::rules_module(rules_config const& config, module_surroundings const& around)
    : places_{around.places}, tables_{config, around.config->file, around.config->plane}, config_{around.config} {}

void rules_module::install(std::deque<port>& ports) {
  tables_.install(ports, places_);
  std::vector<port_id> ids;
  ids.reserve(ports.size());
  for (auto const& one : ports) ids.push_back(one.facts().id);
  auto const& interfaces = config_->interfaces;
  for (std::size_t n = 0; n < std::min(ids.size(), interfaces.size()); ++n) names_[ids[n]] = interfaces[n].name;
  departures_.emplace(std::move(ids), tables_.cpu());
}

void rules_module::add_tables(function_tables& to) const {
  to.stages.push_back(&stage_);
  to.departures = &*departures_;
}

table_refs<rules> rules_module::stage::refs_at(stage_place const& place) const {
  std::vector<rules_egress> egresses;
  for (std::size_t i = 0; i < place.planned.egresses.size(); ++i) {
    egresses.push_back({place.planned.egresses[i].port, egress_index{static_cast<std::uint16_t>(i)}});
  }
  auto const from = place.planned.rx_port;
  return {tables_.cpu().ref(from, egresses), tables_.gpu(place.planned.gpu_position).ref(from, egresses)};
}

std::unique_ptr<module_change> rules_module::change_to(std::shared_ptr<network_config const> wanted) {
  std::vector<port_id> ports;
  for (auto const& one : tables_.queues()) ports.push_back(one.port);
  auto const* const section = wanted->sections.find<rules_config>();
  return std::make_unique<rules_work>(
      tables_, [config = *section, ports](flow::rule_book const&) { return read_rules_book(config, ports); },
      section->file);
}

bool rules_module::count(readable what) {
  // If the GPU has the tables, the counts of all rules are in its memory.
  if (what == readable::host) return true;
  if (std::exchange(counted_version_, tables_.version()) != tables_.version()) counted_.clear();
  for (auto const& one : tables_.status(counted_.size(), counted_.size() + reported_a_slice)) {
    auto const name = names_.find(one.port);
    counted_.push_back(report_on(one, name == names_.end() ? std::string{} : name->second));
  }
  return counted_.size() == tables_.size();
}

memory_work rules_module::memory(run_view const&) {
  return [this](std::vector<memory_row>& to) {
    to.push_back({.what = "flow rules", .unit = "rules", .used = tables_.size()});
    return true;
  };
}

void rules_module::add_report(telemetry::run_report& to) {
  to.parts.push_back(std::make_shared<rules_report>(std::exchange(counted_, {})));
  // The notices change with the rules.
  auto const notices = tables_.notices();
  to.notices.insert(to.notices.end(), notices.begin(), notices.end());
}

}  // namespace packetwarp

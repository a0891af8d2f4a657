// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rules_kind.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "file/yaml_place.h"
#include "function/rules/rules.h"
#include "module/rules/client/rules_client.h"
#include "module/rules/flow_requests.h"
#include "module/rules/rule_tables.h"
#include "module/rules/rules_module.h"
#include "module/rules/rules_reader.h"
#include "module/rules/show_rules.h"

namespace packetwarp {

namespace help {
extern std::string_view const rules_run_options;  // client/in_run_options.txt
extern std::string_view const rules_run_keys;     // client/in_run_keys.txt
}  // namespace help

namespace {

constexpr std::array<std::string_view, 1> rules_keys{"rules"};
constexpr std::array<std::string_view, 4> fixed_rules_keys{"on", "receive_queues", "hairpin_queues", "hairpin_mode"};

[[nodiscard]] request_work flow(request const& asked, rules_module& of, run_view& run) {
  return carry_out_flow(asked, of.tables(), run);
}
[[nodiscard]] request_work show(request const& asked, rules_module& of, run_view& run) {
  return show_rules(asked, of.tables(), run);
}
constexpr std::array rules_commands{
    command_of<rules_module, flow>("flow", "the running network has no flow rules: its file has no 'rules'"),
    command_of<rules_module, show>("show rules",
                                   "show rules: the running network has no rules: its file has no 'rules'")};

[[nodiscard]] rules_on rules_on_of(std::string_view word) {
  if (word == "auto") return rules_on::automatic;
  if (word == "nic") return rules_on::nic;
  if (word == "gpu") return rules_on::gpu;
  if (word == "cpu") return rules_on::cpu;
  throw usage_error(fmt::format("--rules-on: '{}' is none of auto, nic, gpu, cpu", word));
}

void apply_rules_on(std::string const& word, network_config& config) {
  auto const on = rules_on_of(word);
  auto* const section = config.sections.find<rules_config>();
  if (section == nullptr) throw usage_error(fmt::format("--rules-on: {} has no rules", config.file));
  section->on = on;
}

constexpr std::array rules_options{module_option{"--rules-on", apply_rules_on}};

}  // namespace

rules_kind::rules_kind()
    : section_kind{{.name = rules::name,
                    .keys = {.all = rules_keys, .fixed_within = fixed_rules_keys},
                    .help = {.options = help::rules_run_options, .keys = help::rules_run_keys},
                    .options = rules_options,
                    .report = {"rules", "Hits of the first flow rules that count. Takes no parameters"},
                    .commands = rules_commands,
                    .client = rules_client()}} {}

rules_config rules_kind::section_at(yaml_place const& at, network_config const& beside) const {
  // A pushed tag needs a packet's headroom, which a copy in GPU memory does not have.
  if (beside.plane.where == placement::device) at.refuse("rules need 'placement: host'");
  return read_rules_section(at);
}

void rules_kind::add_files_of(rules_config const& one, module_files& to) const { to.read.push_back(one.file); }

void rules_kind::adjust_for(rules_config const& one, network_config const& /*config*/, data_plane_config& plane) const {
  if (one.on != rules_on::nic) return;
  // A NIC puts packets into each receive queue that rules name: a pipeline must poll it.
  if (plane.pipelines == 0 && plane.listed.empty()) {
    plane.pipelines = static_cast<std::uint16_t>(one.receive_queues * plane.ports.size());
  }
}

void rules_kind::check_section(rules_config const& one, network_config const& config, plan const& planned) const {
  auto with_rules = planned;
  rule_tables{one, config.file, planned.config}.prepare(with_rules);
}

std::unique_ptr<stage_module> rules_kind::make_of(rules_config const& one, module_surroundings const& around) const {
  return std::make_unique<rules_module>(one, around);
}

}  // namespace packetwarp

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

constexpr std::array rules_commands{
    module_command{"flow",
                   [](request const& asked, stage_module& of, run_view& run) {
                     return carry_out_flow(asked, static_cast<rules_module&>(of).tables(), run);
                   },
                   "the running network has no flow rules: its file has no 'rules'"},
    module_command{"show rules",
                   [](request const& asked, stage_module& of, run_view& run) {
                     return show_rules(asked, static_cast<rules_module&>(of).tables(), run);
                   },
                   "show rules: the running network has no rules: its file has no 'rules'"}};

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

std::span<module_option const> rules_kind::options() const { return rules_options; }

std::span<module_command const> rules_kind::commands() const { return rules_commands; }

std::span<shown_noun const> rules_kind::nouns() const { return rules_nouns(); }

std::span<client_command const> rules_kind::client_commands() const { return rules_client_commands(); }

module_screen rules_kind::screen() const { return rules_screen_of_top(); }

module_report rules_kind::report() const {
  return {"rules", "Hits of the first flow rules that count. Takes no parameters"};
}

std::string_view rules_kind::name() const { return rules::name; }

module_keys rules_kind::keys() const { return {.all = rules_keys, .fixed_within = fixed_rules_keys}; }

module_help rules_kind::help() const { return {.options = help::rules_run_options, .keys = help::rules_run_keys}; }

void rules_kind::read(yaml_place const& root, network_config& into) const {
  auto const at = root.find("rules");
  if (!at) return;
  // A pushed tag needs a packet's headroom, which a copy in GPU memory does not have.
  if (into.plane.where == placement::device) at->refuse("rules need 'placement: host'");
  into.sections.add(read_rules_section(*at));
}

void rules_kind::add_files(network_config const& config, module_files& to) const {
  auto const* const section = config.sections.find<rules_config>();
  if (section != nullptr) to.read.push_back(section->file);
}

void rules_kind::adjust(network_config const& config, data_plane_config& plane) const {
  auto const* const section = config.sections.find<rules_config>();
  if (section == nullptr || section->on != rules_on::nic) return;
  // A NIC puts packets into each receive queue that rules name: a pipeline must poll it.
  if (plane.pipelines == 0 && plane.listed.empty()) {
    plane.pipelines = static_cast<std::uint16_t>(section->receive_queues * plane.ports.size());
  }
}

void rules_kind::check(network_config const& config, plan const& planned) const {
  auto const* const section = config.sections.find<rules_config>();
  if (section == nullptr) return;
  auto with_rules = planned;
  rule_tables{*section, config.file, planned.config}.prepare(with_rules);
}

std::unique_ptr<stage_module> rules_kind::make(module_surroundings const& around) const {
  auto const* const section = around.config->sections.find<rules_config>();
  if (section == nullptr) return nullptr;
  return std::make_unique<rules_module>(*section, around);
}

}  // namespace packetwarp

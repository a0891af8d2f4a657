// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/detect_kind.h"

#include <fmt/format.h>

#include <array>

#include "file/yaml_place.h"
#include "function/detect/detect.h"
#include "module/detect/client/detect_client.h"
#include "module/detect/detect_module.h"
#include "module/detect/detect_reader.h"
#include "module/detect/show_detect.h"

namespace packetwarp {

namespace help {
extern std::string_view const detect_run_keys;  // client/in_run_keys.txt
}  // namespace help

namespace {

constexpr std::array<std::string_view, 1> detect_keys{"detect"};
constexpr std::array<std::string_view, 4> fixed_detect_keys{"flows", "hosts", "events", "events_room"};
constexpr std::array<std::string_view, 8> told_detect_keys{"models",    "large",       "action",        "dscp",
                                                           "punt_rate", "mirror_rate", "events_period", "events_rate"};

constexpr std::array detect_commands{
    module_command{"show detect",
                   [](request const& asked, stage_module& of, run_view& run) {
                     return show_detect(asked, static_cast<detect_module&>(of), run);
                   },
                   "show detect: the running network judges nothing: its file has no 'detect'"}};

}  // namespace

std::string_view detect_kind::name() const { return detect::name; }

module_keys detect_kind::keys() const {
  return {.all = detect_keys, .fixed_within = fixed_detect_keys, .told_within = told_detect_keys};
}

void detect_kind::read(yaml_place const& root, network_config& into) const {
  if (auto const at = root.find("detect")) into.sections.add(read_detect_section(*at, into.interfaces));
}

module_help detect_kind::help() const { return {.keys = help::detect_run_keys}; }

// The data plane has a port for each interface, in their order.
void detect_kind::adjust(network_config const& config, data_plane_config& plane) const {
  auto const* const section = config.sections.find<detect_config>();
  if (section == nullptr || section->action != detect_action::mirror) return;
  plane.mirror_to = plane.ports.at(static_cast<std::size_t>(index_of(config, section->mirror_to)));
}

std::string detect_kind::describe(network_config const& config) const {
  auto const* const section = config.sections.find<detect_config>();
  if (section == nullptr) return {};
  std::string text = fmt::format("detect: {} flows and {} hosts per pipeline; action {}\n", section->sizes.flows,
                                 section->sizes.hosts, to_string(section->action));
  for (auto const& one : section->models) {
    text += fmt::format("  model {}: {} features, anomalous above {}{}\n", one.file, one.model->features.size(),
                        one.threshold, &one == &section->models.front() ? ", decides" : ", counted only");
  }
  if (section->large) {
    auto const& large = *section->large;
    text += fmt::format("  large {}: anomalous above {}, after {} packets of a flow\n", large.model.file,
                        large.model.threshold, fmt::join(large.milestones, ", "));
  }
  if (section->action == detect_action::mirror) {
    text += fmt::format("  copies leave by {}, {} per second and pipeline at most\n", section->mirror_to,
                        section->mirror_rate);
  }
  if (!section->events.empty()) text += fmt::format("  events to {}\n", section->events);
  return text;
}

void detect_kind::add_files(network_config const& config, module_files& to) const {
  auto const* const section = config.sections.find<detect_config>();
  if (section == nullptr) return;
  for (auto const& one : section->models) to.read.push_back(one.file);
  if (section->large) to.read.push_back(section->large->model.file);
  to.written.push_back(section->events);
}

module_report detect_kind::report() const {
  return {"detect", "Packets that models judged and called anomalous. Takes no parameters"};
}

std::span<module_command const> detect_kind::commands() const { return detect_commands; }

std::span<shown_noun const> detect_kind::nouns() const { return detect_nouns(); }

module_screen detect_kind::screen() const { return detect_screen(); }

std::unique_ptr<stage_module> detect_kind::make(module_surroundings const& around) const {
  auto const* const section = around.config->sections.find<detect_config>();
  return section == nullptr ? nullptr : std::make_unique<detect_module>(*section, around);
}

}  // namespace packetwarp

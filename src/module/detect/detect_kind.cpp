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

constexpr std::array detect_commands{command_of<detect_module, show_detect>(
    "show detect", "show detect: the running network judges nothing: its file has no 'detect'")};

}  // namespace

detect_kind::detect_kind()
    : section_kind{{.name = detect::name,
                    .keys = {.all = detect_keys, .fixed_within = fixed_detect_keys, .told_within = told_detect_keys},
                    .help = {.keys = help::detect_run_keys},
                    .report = {"detect", "Packets that models judged and called anomalous. Takes no parameters"},
                    .commands = detect_commands,
                    .client = detect_client()}} {}

detect_config detect_kind::section_at(yaml_place const& at, network_config const& beside) const {
  return read_detect_section(at, beside.interfaces);
}

// The data plane has a port for each interface, in their order.
void detect_kind::adjust_for(detect_config const& one, network_config const& config, data_plane_config& plane) const {
  if (one.action != detect_action::mirror) return;
  plane.mirror_to = plane.ports.at(static_cast<std::size_t>(index_of(config, one.mirror_to)));
}

void detect_kind::check_section(detect_config const& one, network_config const& config, plan const& planned) const {
  require_evaluable(one, config.file, config.plane.executor, least_shared_bytes(planned));
}

std::string detect_kind::lines_of(detect_config const& one) const {
  constexpr feature::state_sizes per_pipeline{};
  auto const records = [](std::uint32_t asked, std::uint32_t each, std::string_view what) {
    return asked != 0 ? fmt::format("{} {}", asked, what) : fmt::format("{} {} per pipeline", each, what);
  };
  std::string text = fmt::format("detect: {} and {}; action {}\n", records(one.flows, per_pipeline.flows, "flows"),
                                 records(one.hosts, per_pipeline.hosts, "hosts"), to_string(one.action));
  for (auto const& model : one.models) {
    text += fmt::format("  model {}: {} features, anomalous above {}{}\n", model.file, model.model->features.size(),
                        model.threshold, &model == &one.models.front() ? ", decides" : ", counted only");
  }
  if (one.large) {
    auto const& large = *one.large;
    text += fmt::format("  large {}: anomalous above {}, after {} packets of a flow\n", large.model.file,
                        large.model.threshold, fmt::join(large.milestones, ", "));
  }
  if (one.action == detect_action::mirror) {
    text += fmt::format("  copies leave by {}, {} per second and pipeline at most\n", one.mirror_to, one.mirror_rate);
  }
  if (!one.events.empty()) text += fmt::format("  events to {}\n", one.events);
  return text;
}

void detect_kind::add_files_of(detect_config const& one, module_files& to) const {
  for (auto const& model : one.models) to.read.push_back(model.file);
  if (one.large) to.read.push_back(one.large->model.file);
  to.written.push_back(one.events);
}

std::unique_ptr<stage_module> detect_kind::make_of(detect_config const& one, module_surroundings const& around) const {
  return std::make_unique<detect_module>(one, around);
}

}  // namespace packetwarp

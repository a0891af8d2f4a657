// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/inspection_kind.h"

#include <fmt/format.h>

#include <array>

#include "base/units.h"
#include "file/yaml_place.h"
#include "function/inspection/inspection.h"
#include "module/inspection/client/inspection_client.h"
#include "module/inspection/inspection_module.h"
#include "module/inspection/inspection_reader.h"
#include "module/inspection/show_inspection.h"

namespace packetwarp {

namespace help {
extern std::string_view const inspection_run_keys;  // client/in_run_keys.txt
}  // namespace help

namespace {

constexpr std::array<std::string_view, 1> inspection_keys{"inspect"};
constexpr std::array<std::string_view, 9> fixed_inspection_keys{"flows",         "thresholds",     "events",
                                                                "events_room",   "events_packets", "streams",
                                                                "stream_memory", "fragments",      "checksums"};
constexpr std::array<std::string_view, 4> told_inspection_keys{"rules", "variables", "unusable", "verdicts"};

constexpr std::array inspection_commands{
    module_command{"show inspect",
                   [](request const& asked, stage_module& of, run_view&) {
                     return show_inspection(asked, static_cast<inspection_module&>(of));
                   },
                   "show inspect: the running network inspects nothing: its file has no 'inspect'"}};

}  // namespace

std::string_view inspection_kind::name() const { return inspection::name; }

module_keys inspection_kind::keys() const {
  return {.all = inspection_keys, .fixed_within = fixed_inspection_keys, .told_within = told_inspection_keys};
}

void inspection_kind::read(yaml_place const& root, network_config& into) const {
  auto const at = root.find("inspect");
  if (!at) return;
  auto section = read_inspection_section(*at);
  bool const verifies = section.sizes.checksums == wire::checksum_handling::verify;
  if (verifies && needs_gpu(into.plane.executor))
    at->at("checksums").refuse("a GPU verifies no checksums: give 'ignore', or data_plane.executor: cpu");
  into.sections.add(std::move(section));
}

module_help inspection_kind::help() const { return {.keys = help::inspection_run_keys}; }

std::string inspection_kind::describe(network_config const& config) const {
  auto const* const section = config.sections.find<inspection_config>();
  if (section == nullptr) return {};
  auto const& cover = section->rules->cover;
  auto text = fmt::format(
      "inspect: {} of {} rules, verdicts {}; memory of rules and state {}, and {} of alerts per RX "
      "queue\n",
      cover.usable, cover.rules, to_string(section->verdicts),
      format_size(inspection_bytes(input_of(*section), section->sizes)), format_size(alert_journal::ring_bytes));
  text += fmt::format(
      "  on each GPU also {} for heads of HTTP, {} for texts of groups, {} for streams of TCP, and {} per RX queue for "
      "expressions that the CPU judges\n",
      format_size(std::size_t{section->sizes.heads} * sizeof(inspection_parts::head_room)),
      format_size(std::size_t{section->sizes.joined} * sizeof(inspection_parts::joined_room)),
      format_size(carried_bytes(section->sizes)), format_size(late_journal::ring_bytes));
  if (auto const why = text_of_unusable(cover); !why.empty()) text += fmt::format("  {}\n", why);
  if (auto const what = text_of_replaced(cover); !what.empty()) text += fmt::format("  {}\n", what);
  for (auto const& warning : section->rules->warnings) text += fmt::format("  {}\n", warning);
  auto const& streams = section->sizes.streams;
  if (streams.streams == 0) {
    text += fmt::format("  {} rules are for TCP's payload, which is searched within one segment\n", cover.in_streams);
  } else {
    text += fmt::format("  streams of TCP: {} connections, on CPUs at most {}; {} rules look at TCP's payload\n",
                        streams.streams, format_size(streams.bytes), cover.in_streams);
  }
  if (!section->events.empty()) text += fmt::format("  alerts to {}\n", section->events);
  if (section->sizes.packet_bytes != 0) {
    text += fmt::format("  packets of alerts: at most {} per RX queue\n", format_size(section->sizes.packet_bytes));
  }
  return text;
}

void inspection_kind::add_files(network_config const& config, module_files& to) const {
  auto const* const section = config.sections.find<inspection_config>();
  if (section == nullptr) return;
  for (auto const& one : section->files) to.read.push_back(one);
  to.written.push_back(section->events);
}

module_report inspection_kind::report() const {
  return {"inspect", "Packets that rules of intrusion detection have judged, and alerts. Takes no parameters"};
}

std::span<module_command const> inspection_kind::commands() const { return inspection_commands; }

std::span<shown_noun const> inspection_kind::nouns() const { return inspection_nouns(); }

module_screen inspection_kind::screen() const { return inspection_screen(); }

std::unique_ptr<stage_module> inspection_kind::make(module_surroundings const& around) const {
  auto const* const section = around.config->sections.find<inspection_config>();
  return section == nullptr ? nullptr : std::make_unique<inspection_module>(*section, around);
}

}  // namespace packetwarp

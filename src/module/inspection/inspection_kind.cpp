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

constexpr std::array inspection_commands{command_of<inspection_module, show_inspection>(
    "show inspect", "show inspect: the running network inspects nothing: its file has no 'inspect'")};

}  // namespace

inspection_kind::inspection_kind()
    : section_kind{
          {.name = inspection::name,
           .keys = {.all = inspection_keys, .fixed_within = fixed_inspection_keys, .told_within = told_inspection_keys},
           .help = {.keys = help::inspection_run_keys},
           .report = {"inspect",
                      "Packets that rules of intrusion detection have judged, and alerts. Takes no parameters"},
           .commands = inspection_commands,
           .client = inspection_client()}} {}

inspection_config inspection_kind::section_at(yaml_place const& at, network_config const& beside) const {
  auto section = read_inspection_section(at);
  bool const verifies = section.sizes.checksums == wire::checksum_handling::verify;
  if (verifies && needs_gpu(beside.plane.executor))
    at.at("checksums").refuse("a GPU verifies no checksums: give 'ignore', or data_plane.executor: cpu");
  return section;
}

std::string inspection_kind::lines_of(inspection_config const& one) const {
  auto const& cover = one.rules->cover;
  auto text = fmt::format(
      "inspect: {} of {} rules, verdicts {}; memory of rules and state {}, and {} of alerts per RX "
      "queue\n",
      cover.usable, cover.rules, to_string(one.verdicts), format_size(inspection_bytes(input_of(one), one.sizes)),
      format_size(alert_journal::ring_bytes));
  text += fmt::format(
      "  on each GPU also {} for heads of HTTP, {} for texts of groups, {} for streams of TCP, and {} per RX queue for "
      "expressions that the CPU judges\n",
      format_size(std::size_t{one.sizes.heads} * sizeof(inspection_parts::head_room)),
      format_size(std::size_t{one.sizes.joined} * sizeof(inspection_parts::joined_room)),
      format_size(carried_bytes(one.sizes)), format_size(late_journal::ring_bytes));
  if (auto const why = text_of_unusable(cover); !why.empty()) text += fmt::format("  {}\n", why);
  if (auto const what = text_of_replaced(cover); !what.empty()) text += fmt::format("  {}\n", what);
  for (auto const& warning : one.rules->warnings) text += fmt::format("  {}\n", warning);
  auto const& streams = one.sizes.streams;
  if (streams.streams == 0) {
    text += fmt::format("  {} rules are for TCP's payload, which is searched within one segment\n", cover.in_streams);
  } else {
    text += fmt::format("  streams of TCP: {} connections, on CPUs at most {}; {} rules look at TCP's payload\n",
                        streams.streams, format_size(streams.bytes), cover.in_streams);
  }
  if (!one.events.empty()) text += fmt::format("  alerts to {}\n", one.events);
  if (one.sizes.packet_bytes != 0) {
    text += fmt::format("  packets of alerts: at most {} per RX queue\n", format_size(one.sizes.packet_bytes));
  }
  return text;
}

void inspection_kind::add_files_of(inspection_config const& one, module_files& to) const {
  for (auto const& file : one.files) to.read.push_back(file);
  to.written.push_back(one.events);
}

std::unique_ptr<stage_module> inspection_kind::make_of(inspection_config const& one,
                                                       module_surroundings const& around) const {
  return std::make_unique<inspection_module>(one, around);
}

}  // namespace packetwarp

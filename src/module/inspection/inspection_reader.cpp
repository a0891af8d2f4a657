// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/inspection_reader.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "base/error.h"
#include "file/values.h"

namespace packetwarp {
namespace {

constexpr std::array all_verdicts{choice{std::string_view{"apply"}, inspection_verdicts::as_rules_say},
                                  choice{std::string_view{"alert-only"}, inspection_verdicts::alert_only}};

constexpr std::array all_fragments{choice{std::string_view{"together"}, fragment_handling::together},
                                   choice{std::string_view{"headers"}, fragment_handling::headers}};

constexpr std::array all_checksums{choice{std::string_view{"ignore"}, wire::checksum_handling::ignore},
                                   choice{std::string_view{"verify"}, wire::checksum_handling::verify}};

// The fate of rules that the stage does not inspect.
enum class unusable_rules : std::uint8_t { skip, refuse };
constexpr std::array all_unusable{choice{std::string_view{"skip"}, unusable_rules::skip},
                                  choice{std::string_view{"refuse"}, unusable_rules::refuse}};

// Reads the variables, each as addresses or as ports, and adds them to the known ones.
[[nodiscard]] inspect::given_variables read_variables(yaml_place const& section, inspect::variables& known) {
  inspect::given_variables given;
  auto const at = section.find("variables");
  if (!at) return given;
  std::set<std::string> seen;
  auto const entries = at->entries();
  for (auto const& [name, value] : entries) {
    if (!seen.insert(name).second) value.refuse(fmt::format("the key '{}' is there twice", name));
    given.emplace_back(name, value.text());
    try {
      known.set(name, given.back().second);
    } catch (usage_error const& wrong) {
      value.refuse(wrong.what());
    }
  }
  // A value may name a later variable.
  for (auto const& [name, value] : entries) {
    if (auto const problem = inspect::problem_of_value(value.text(), known); !problem.empty()) value.refuse(problem);
  }
  return given;
}

[[nodiscard]] std::uint32_t places_at(yaml_place const& place) {
  constexpr std::uint64_t least = 64;
  constexpr std::uint64_t most = std::uint64_t{1} << 26;
  return static_cast<std::uint32_t>(place.number(least, most));
}

[[nodiscard]] stream_sizes read_streams(yaml_place const& place) {
  constexpr std::uint64_t least = 64;
  constexpr std::uint64_t most = std::uint64_t{1} << 24;
  constexpr std::size_t least_bytes = std::size_t{1} << 20;
  constexpr std::size_t most_bytes = std::size_t{1} << 40;
  stream_sizes made;
  if (auto const at = place.find("streams"))
    made.streams = at->text() == "none" ? 0 : static_cast<std::size_t>(at->number(least, most));
  if (auto const at = place.find("stream_memory")) {
    made.bytes = size_at(*at, least_bytes, most_bytes, "1m to 1024g");
    if (made.streams == 0) at->refuse("with 'streams: none' no stream needs memory; leave out one of both");
  }
  return made;
}

}  // namespace

std::string_view to_string(inspection_verdicts verdicts) {
  for (auto const& one : all_verdicts) {
    if (one.second == verdicts) return one.first;
  }
  return "unknown";
}

inspection_config read_inspection_section(yaml_place const& place) {
  place.require_keys({"rules", "variables", "unusable", "verdicts", "events", "events_room", "flows", "thresholds",
                      "streams", "stream_memory", "fragments", "checksums", "events_packets"});
  inspection_config made{.line = place.line(), .files = {}, .rules = {}};
  auto const list = place.at("rules");
  for (auto const& one : list.items()) made.files.push_back(one.text());
  if (made.files.empty()) list.refuse("no file of rules");
  inspect::variables known;
  auto const given = read_variables(place, known);
  try {
    made.rules = load_rules(made.files, given, known);
  } catch (usage_error const& wrong) {
    list.refuse(wrong.what());
  }
  if (auto const at = place.find("unusable"); at && choice_at(*at, all_unusable) == unusable_rules::refuse) {
    auto const why = text_of_unusable(made.rules->cover);
    if (!why.empty()) list.refuse(fmt::format("{}; 'unusable: skip' goes on without them", why));
  }
  if (auto const at = place.find("verdicts")) made.verdicts = choice_at(*at, all_verdicts);
  if (auto const at = place.find("flows")) made.sizes.flows = places_at(*at);
  if (auto const at = place.find("thresholds")) made.sizes.rates = places_at(*at);
  made.sizes.streams = read_streams(place);
  if (auto const at = place.find("fragments")) made.sizes.fragments = choice_at(*at, all_fragments);
  if (auto const at = place.find("checksums")) {
    made.sizes.checksums = choice_at(*at, all_checksums);
    if (made.sizes.checksums == wire::checksum_handling::verify && made.sizes.streams.streams == 0)
      at->refuse("with 'streams: none' no stream needs it; leave out one of both");
  }
  if (auto const at = place.find("events")) made.events = written_file_at(*at);
  if (auto const at = place.find("events_packets")) {
    if (made.events.empty()) at->refuse("packets are written with 'events', which the file does not have");
    made.sizes.packet_bytes = size_at(*at, std::size_t{64} << 10, std::size_t{1} << 30, "64k to 1g");
  }
  if (auto const at = place.find("events_room")) {
    made.events_room = log_room_at(*at);
    if (made.events.empty()) at->refuse("it is room for lines of 'events', which the file does not have");
  }
  return made;
}

inspection_input input_of(inspection_config const& config) {
  return {.rules = config.rules->compiled, .count = config.rules->rules.rules.size(), .verdicts = config.verdicts};
}

}  // namespace packetwarp

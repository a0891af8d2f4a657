// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/detect_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "feature/row.h"
#include "file/values.h"
#include "model/onnx/onnx_file.h"

namespace packetwarp {
namespace {

constexpr std::array actions{choice{std::string_view{"count"}, detect_action::count},
                             choice{std::string_view{"mark"}, detect_action::mark},
                             choice{std::string_view{"punt"}, detect_action::punt},
                             choice{std::string_view{"drop"}, detect_action::drop},
                             choice{std::string_view{"answer"}, detect_action::answer},
                             choice{std::string_view{"answer-all"}, detect_action::answer_all}};

// The key of a model's metadata_props that has its threshold.
constexpr std::string_view threshold_key = "threshold";
constexpr std::uint64_t least_records = 64;
constexpr std::uint64_t most_records = std::uint64_t{1} << 26;

[[nodiscard]] std::optional<double> finite_number_in(std::string const& text) {
  char* end{};
  auto const value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !std::isfinite(value)) return std::nullopt;
  return value;
}

[[nodiscard]] double threshold_at(yaml_place const& place) {
  auto const text = place.text();
  if (auto const value = finite_number_in(text)) return *value;
  place.refuse(fmt::format("'{}' is no number, such as 0.5", text));
}

[[nodiscard]] double threshold_of(model::onnx::file const& file, yaml_place const& place) {
  auto const found = std::find_if(file.metadata.begin(), file.metadata.end(),
                                  [](auto const& entry) { return entry.first == threshold_key; });
  if (found == file.metadata.end()) {
    place.refuse(fmt::format(
        "{} does not say above which score a packet is anomalous; give it: {{file: {}, threshold: 0.5}}, or "
        "write it into the file's metadata_props as '{}'",
        file.path, file.path, threshold_key));
  }
  if (auto const value = finite_number_in(found->second)) return *value;
  place.refuse(fmt::format("{}: the '{}' in its metadata_props is no number", file.path, threshold_key));
}

[[nodiscard]] detect_model_config read_model(yaml_place const& place) {
  bool const is_map = place.is_map();
  if (is_map) place.require_keys({"file", "threshold"});
  auto const at = is_map ? place.at("file") : place;
  detect_model_config made{.line = at.line(), .file = at.text(), .threshold = 0, .model = {}};
  try {
    auto const file = model::onnx::read_file(made.file);
    made.model = std::make_shared<model::loaded_model const>(model::load(file, feature::names));
    auto const given = is_map ? place.find("threshold") : std::nullopt;
    made.threshold = given ? threshold_at(*given) : threshold_of(file, at);
  } catch (usage_error const& wrong) {
    std::string_view const why = wrong.what();
    if (why.starts_with(at.told())) throw;
    at.refuse(std::string{why});
  }
  return made;
}

[[nodiscard]] std::uint32_t records_at(yaml_place const& place) {
  return static_cast<std::uint32_t>(place.number(least_records, most_records));
}

// Per second.
[[nodiscard]] std::uint32_t rate_at(yaml_place const& place) {
  return static_cast<std::uint32_t>(place.number(0, 1'000'000));
}

void read_events(yaml_place const& place, detect_config& into) {
  constexpr std::uint32_t day = 86'400;
  if (auto const at = place.find("events")) into.events = at->text();
  if (auto const at = place.find("events_room")) into.events_room = log_room_at(*at);
  if (auto const at = place.find("events_period")) into.events_period = std::chrono::seconds{seconds_at(*at, 1, day)};
  if (auto const at = place.find("events_rate")) into.events_rate = rate_at(*at);
}

}  // namespace

std::string_view to_string(detect_action action) {
  for (auto const& one : actions) {
    if (one.second == action) return one.first;
  }
  return "unknown";
}

detect_config read_detect_section(yaml_place const& place) {
  place.require_keys({"models", "action", "dscp", "punt_rate", "flows", "hosts", "events", "events_room",
                      "events_period", "events_rate"});
  detect_config made{.line = place.line(), .models = {}};
  auto const list = place.at("models");
  for (auto const& one : list.items()) made.models.push_back(read_model(one));
  if (made.models.empty() || made.models.size() > most_detect_models) {
    list.refuse(fmt::format("{} models; 1 to {} judge a packet side by side, and the first one decides",
                            made.models.size(), most_detect_models));
  }
  if (auto const at = place.find("action")) made.action = choice_at(*at, actions);
  if (auto const at = place.find("dscp")) {
    if (made.action != detect_action::mark) at->refuse("only 'action: mark' writes a DSCP");
    made.dscp = static_cast<std::uint32_t>(at->number(0, 63));
  }
  if (auto const at = place.find("punt_rate")) {
    if (made.action != detect_action::punt) at->refuse("only 'action: punt' hands packets over");
    made.punt_rate = rate_at(*at);
  }
  if (auto const at = place.find("flows")) made.sizes.flows = records_at(*at);
  if (auto const at = place.find("hosts")) made.sizes.hosts = records_at(*at);
  read_events(place, made);
  return made;
}

void require_evaluable(detect_config const& config, std::string const& file, group_kind by) {
  for (auto const& one : config.models) {
    auto const why = why_not_by_group(one.model->network.ref(), by);
    if (why) throw usage_error(fmt::format("{}:{}: detect.models: {} {}", file, one.line, one.file, *why));
  }
}

detect_input input_of(detect_config const& config) {
  detect_input made{.models = {},
                    .action = config.action,
                    .dscp = config.dscp,
                    .most_records = config.events_rate,
                    .most_punts = config.punt_rate};
  for (auto const& one : config.models) {
    // A whole score is above the threshold if it is above the threshold's own whole part.
    auto const threshold = std::floor(one.threshold / one.model->unit);
    constexpr double most = 4.0 * std::numeric_limits<std::int32_t>::max();  // beyond every difference of scores
    made.models.push_back({one.model->network.ref(), static_cast<std::int64_t>(std::clamp(threshold, -most, most))});
  }
  return made;
}

}  // namespace packetwarp

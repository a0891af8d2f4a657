// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/detect_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "file/values.h"
#include "function/network/bounds.h"
#include "module/detect/detect_model_reader.h"

namespace packetwarp {
namespace {

constexpr std::array actions{choice{std::string_view{"count"}, detect_action::count},
                             choice{std::string_view{"mark"}, detect_action::mark},
                             choice{std::string_view{"punt"}, detect_action::punt},
                             choice{std::string_view{"drop"}, detect_action::drop},
                             choice{std::string_view{"mirror"}, detect_action::mirror},
                             choice{std::string_view{"answer"}, detect_action::answer},
                             choice{std::string_view{"answer-all"}, detect_action::answer_all}};

constexpr std::uint64_t least_records = 64;
constexpr std::uint64_t most_records = std::uint64_t{1} << 26;

[[nodiscard]] std::uint32_t records_at(yaml_place const& place) {
  return static_cast<std::uint32_t>(place.number(least_records, most_records));
}

// Per second.
[[nodiscard]] std::uint32_t rate_at(yaml_place const& place) {
  return static_cast<std::uint32_t>(place.number(0, 1'000'000));
}

// The interface by which copies leave. Packets that it receives have none, so another one must exist.
[[nodiscard]] std::string mirror_at(yaml_place const& place, std::span<interface_config const> interfaces) {
  auto name = place.text();
  bool const exists =
      std::any_of(interfaces.begin(), interfaces.end(), [&](auto const& one) { return one.name == name; });
  if (!exists) {
    std::vector<std::string_view> names;
    for (auto const& one : interfaces) names.emplace_back(one.name);
    place.refuse(fmt::format("no interface '{}'; there are {}", name, fmt::join(names, ", ")));
  }
  if (interfaces.size() == 1) {
    place.refuse(
        fmt::format("'{}' is the only interface, and packets that it receives are not copied to it; add one", name));
  }
  return name;
}

void read_mirror(yaml_place const& place, std::span<interface_config const> interfaces, detect_config& into) {
  bool const mirrors = into.action == detect_action::mirror;
  for (auto const* const key : {"mirror_to", "mirror_rate"}) {
    auto const at = place.find(key);
    if (at && !mirrors) at->refuse("only 'action: mirror' sends copies");
  }
  if (!mirrors) return;
  auto const to = place.find("mirror_to");
  if (!to) place.at("action").refuse("'mirror' needs 'mirror_to', the interface by which copies leave");
  into.mirror_to = mirror_at(*to, interfaces);
  if (auto const at = place.find("mirror_rate")) into.mirror_rate = rate_at(*at);
}

void read_events(yaml_place const& place, detect_config& into) {
  constexpr std::uint32_t day = 86'400;
  if (auto const at = place.find("events")) into.events = written_file_at(*at);
  if (auto const at = place.find("events_room")) into.events_room = log_room_at(*at);
  if (auto const at = place.find("events_period")) into.events_period = std::chrono::seconds{seconds_at(*at, 1, day)};
  if (auto const at = place.find("events_rate")) into.events_rate = rate_at(*at);
}

}  // namespace

feature::state_sizes sizes_of(detect_config const& config, std::size_t pipelines) {
  constexpr feature::state_sizes per_pipeline{};
  auto const records = [pipelines](std::uint32_t asked, std::uint32_t one) {
    auto const all = std::min<std::uint64_t>(std::uint64_t{one} * std::max<std::size_t>(pipelines, 1), most_records);
    return asked != 0 ? asked : static_cast<std::uint32_t>(all);
  };
  return {.flows = records(config.flows, per_pipeline.flows), .hosts = records(config.hosts, per_pipeline.hosts)};
}

std::string_view to_string(detect_action action) {
  for (auto const& one : actions) {
    if (one.second == action) return one.first;
  }
  return "unknown";
}

detect_config read_detect_section(yaml_place const& place, std::span<interface_config const> interfaces) {
  place.require_keys({"models", "large", "action", "dscp", "punt_rate", "mirror_to", "mirror_rate", "flows", "hosts",
                      "events", "events_room", "events_period", "events_rate"});
  detect_config made{.line = place.line(), .models = {}};
  auto const list = place.at("models");
  for (auto const& one : list.items()) made.models.push_back(read_detect_model(one));
  if (made.models.empty() || made.models.size() > most_detect_models) {
    list.refuse(fmt::format("{} models; 1 to {} judge a packet side by side, and the first one decides",
                            made.models.size(), most_detect_models));
  }
  if (auto const at = place.find("action")) made.action = choice_at(*at, actions);
  require_reachable(list.items().front(), made.models.front(), made.action);
  if (auto const at = place.find("large")) made.large = read_detect_large(*at, made.action);
  if (auto const at = place.find("dscp")) {
    if (made.action != detect_action::mark) at->refuse("only 'action: mark' writes a DSCP");
    made.dscp = static_cast<std::uint32_t>(at->number(0, 63));
  }
  if (auto const at = place.find("punt_rate")) {
    if (made.action != detect_action::punt) at->refuse("only 'action: punt' hands packets over");
    made.punt_rate = rate_at(*at);
  }
  read_mirror(place, interfaces, made);
  if (auto const at = place.find("flows")) made.flows = records_at(*at);
  if (auto const at = place.find("hosts")) made.hosts = records_at(*at);
  read_events(place, made);
  return made;
}

namespace {

[[nodiscard]] std::optional<std::string> why_not_large(model::network_ref network, executor_kind by,
                                                       std::size_t shared_bytes) {
  if (!needs_gpu(by)) return why_not_by_group(network, group_kind::lone_lane);
  if (by == executor_kind::persistent) {
    return "needs CUDA kernels of its own, which a kernel that never ends cannot launch; use executor graph, kernel or "
           "cpu";
  }
  auto why = why_not_by_blocks(network, shared_bytes);
  if (why && !why_not_by_group(network, group_kind::lone_lane)) *why += "; use executor cpu";
  return why;
}

}  // namespace

void require_evaluable(detect_config const& config, std::string const& file, executor_kind by,
                       std::size_t shared_bytes) {
  auto const refuse = [&file](std::string_view key, detect_model_config const& one, std::string const& why) {
    throw usage_error(fmt::format("{}:{}: detect.{}: {} {}", file, one.line, key, one.file, why));
  };
  auto const group = needs_gpu(by) ? group_kind::warp : group_kind::lone_lane;
  for (auto const& one : config.models) {
    if (auto const why = why_not_by_group(one.model->network.ref(), group)) refuse("models", one, *why);
  }
  if (!config.large) return;
  auto const& large = config.large->model;
  if (auto const why = why_not_large(large.model->network.ref(), by, shared_bytes)) refuse("large", large, *why);
}

std::size_t least_shared_bytes(plan const& planned) {
  std::size_t least = 0;
  for (auto const& gpu : planned.gpus) {
    if (least == 0 || gpu.shared_bytes < least) least = gpu.shared_bytes;
  }
  return least;
}

namespace {

[[nodiscard]] std::int64_t whole_score(double score) {
  constexpr double most = 4.0 * std::numeric_limits<std::int32_t>::max();  // beyond every difference of scores
  return static_cast<std::int64_t>(std::clamp(score, -most, most));
}

}  // namespace

detect_input input_of(detect_config const& config) {
  detect_input made{.models = {},
                    .action = config.action,
                    .dscp = config.dscp,
                    .most_records = config.events_rate,
                    .most_punts = config.punt_rate,
                    .most_copies = config.mirror_rate,
                    .large = {}};
  // A whole score is above the threshold if it is above the threshold's own whole part.
  auto const model_of = [](detect_model_config const& one) {
    return detect_model{one.model->network.ref(), whole_score(std::floor(one.threshold / one.model->unit))};
  };
  for (auto const& one : config.models) made.models.push_back(model_of(one));
  if (!config.large) return made;
  auto const unit = config.models.front().model->unit;
  made.large = {.model = model_of(config.large->model),
                .low = whole_score(std::ceil(config.large->low / unit)),
                .high = whole_score(std::floor(config.large->high / unit)),
                .milestones = {},
                .count = static_cast<std::uint32_t>(config.large->milestones.size()),
                .most = config.large->rate};
  std::copy(config.large->milestones.begin(), config.large->milestones.end(), made.large.milestones);
  return made;
}

}  // namespace packetwarp

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/detect_model_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "feature/row.h"
#include "model/metadata/threshold.h"
#include "model/onnx/onnx_file.h"

namespace packetwarp {
namespace {

[[nodiscard]] double number_at(yaml_place const& place) {
  auto const text = place.text();
  if (auto const value = model::finite_number_in(text)) return *value;
  place.refuse(fmt::format("'{}' is no number, such as 0.5", text));
}

// The result of reading a part of a model's file, whose errors are told by the place that names the file.
template <class Read>
[[nodiscard]] auto told_at(yaml_place const& place, Read const& read) {
  try {
    return read();
  } catch (usage_error const& wrong) {
    place.refuse(wrong.what());
  }
}

[[nodiscard]] double threshold_of(model::onnx::file const& file, yaml_place const& place) {
  if (auto const value = told_at(place, [&] { return model::threshold_of(file); })) return *value;
  place.refuse(
      fmt::format("{} does not say above which score a packet is anomalous; give it: {{file: {}, threshold: 0.5}}, or "
                  "write it into the file's metadata_props as '{}'",
                  file.path, file.path, model::threshold_key));
}

[[nodiscard]] detect_model_config read_model(yaml_place const& place) {
  bool const is_map = place.is_map();
  auto const at = is_map ? place.at("file") : place;
  detect_model_config made{.line = at.line(), .file = at.name(), .threshold = 0, .model = {}};
  auto const file = told_at(at, [&] { return model::onnx::read_file(made.file); });
  made.model =
      std::make_shared<model::loaded_model const>(told_at(at, [&] { return model::load(file, feature::names); }));
  auto const given = is_map ? place.find("threshold") : std::nullopt;
  made.threshold = given ? number_at(*given) : threshold_of(file, at);
  return made;
}

// The largest number that is compared with a threshold: a score of 32 bits, or the difference of two.
[[nodiscard]] double most_score_of(model::loaded_model const& one) {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  constexpr double most_difference = std::numeric_limits<std::uint32_t>::max();
  return one.network.ref().outputs() == 1 ? most : most_difference;
}

[[nodiscard]] std::vector<std::uint32_t> read_milestones(yaml_place const& place) {
  constexpr std::uint64_t most = 1'000'000;
  std::vector<std::uint32_t> made;
  for (auto const& one : place.items()) {
    made.push_back(static_cast<std::uint32_t>(one.number(1, most)));
    if (made.size() > 1 && made.back() <= made[made.size() - 2]) one.refuse("milestones rise: [8, 32]");
  }
  if (made.empty() || made.size() > detect_large::most_milestones) {
    place.refuse(fmt::format("{} milestones; 1 to {} are allowed", made.size(), detect_large::most_milestones));
  }
  return made;
}

void read_band(yaml_place const& place, detect_large_config& into) {
  auto const bounds = place.items();
  if (bounds.size() != 2)
    place.refuse("a band has two numbers, the lowest and the highest uncertain score: [0.2, 0.8]");
  into.low = number_at(bounds[0]);
  into.high = number_at(bounds[1]);
  if (into.low > into.high) place.refuse("the band's first number is above the second one");
}

}  // namespace

detect_model_config read_detect_model(yaml_place const& place) {
  if (place.is_map()) place.require_keys({"file", "threshold"});
  return read_model(place);
}

void require_reachable(yaml_place const& place, detect_model_config const& model, detect_action action) {
  bool const only_counts =
      action == detect_action::count || action == detect_action::answer || action == detect_action::answer_all;
  auto const unit = model.model->unit;
  auto const most = most_score_of(*model.model);
  if (only_counts || std::floor(model.threshold / unit) < most) return;
  auto const given = place.is_map() ? place.find("threshold") : std::nullopt;
  (given ? *given : place)
      .refuse(fmt::format("no score of {} is above the threshold {:.9g}, so 'action: {}' would never happen; give one "
                          "below {:.9g}",
                          model.file, model.threshold, to_string(action), most * unit));
}

detect_large_config read_detect_large(yaml_place const& place, detect_action action) {
  if (place.is_map()) place.require_keys({"file", "threshold", "milestones", "band", "rate"});
  if (action == detect_action::answer || action == detect_action::answer_all) {
    place.refuse("answers tell the first model's score; take another 'action', or leave 'large' out");
  }
  detect_large_config made{.model = read_model(place)};
  require_reachable(place, made.model, action);
  if (!place.is_map()) return made;
  if (auto const at = place.find("milestones")) made.milestones = read_milestones(*at);
  if (auto const at = place.find("band")) read_band(*at, made);
  if (auto const at = place.find("rate")) made.rate = static_cast<std::uint32_t>(at->number(0, 1'000'000));
  return made;
}

}  // namespace packetwarp

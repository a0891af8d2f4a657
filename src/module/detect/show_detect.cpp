// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/show_detect.h"

#include <nlohmann/json.hpp>

namespace packetwarp {
namespace {

// Adds the fates of copies in all pipelines.
void add_copies(nlohmann::ordered_json& to, data_plane const& plane) {
  std::uint64_t sent = 0;
  std::array<std::uint64_t, mirror_loss_names.size()> lost{};
  for (auto const& one : plane.pipelines()) {
    auto const& departures = one.counters().departures;
    sent += departures.mirrored.read();
    for (std::size_t n = 0; n < lost.size(); ++n) lost[n] += departures.not_mirrored[n].read();
  }
  to["sent"] = sent;
  for (std::size_t n = 0; n < lost.size(); ++n) to["lost"][std::string{mirror_loss_names[n]}] = lost[n];
}

}  // namespace

request_work show_detect(request const& asked, detect_module const& of, run_view& run) {
  asked.require_known({});
  return [&of, &run] {
    auto made = json_of(of.counts(readable::all));
    if (auto const mirror = made.find("mirror"); mirror != made.end()) add_copies(*mirror, run.plane());
    return std::optional{success_line(made)};
  };
}

}  // namespace packetwarp

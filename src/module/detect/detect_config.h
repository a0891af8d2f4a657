// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "feature/feature_state.h"
#include "function/detect/detect_layout.h"
#include "model/load.h"

namespace packetwarp {

// A model of a network's file.
struct detect_model_config {
  int line{};
  std::string file;
  double threshold{};  // in the model's own units
  std::shared_ptr<model::loaded_model const> model;
};

// The model that judges packets of flows of which the first model is not sure.
struct detect_large_config {
  detect_model_config model;
  std::vector<std::uint32_t> milestones{8, 32};  // packets that a flow has had, rising
  // Scores of the first model, in its own units, of which it is not sure.
  double low{-std::numeric_limits<double>::infinity()};
  double high{std::numeric_limits<double>::infinity()};
  std::uint32_t rate{10'000};  // packets per second and pipeline
};

// The section `detect` of a network's file.
struct detect_config {
  int line{};
  std::vector<detect_model_config> models;  // the first one decides
  std::optional<detect_large_config> large{};
  detect_action action{detect_action::count};
  std::uint32_t dscp{8};  // class selector 1 (RFC 8622, 4.3: below the default)
  // Records of flows and hosts, of each GPU or of the CPU; 0: as many as its pipelines need.
  std::uint32_t flows{};
  std::uint32_t hosts{};
  std::uint32_t punt_rate{10'000};  // packets per second and pipeline, of detect_action::punt
  // The interface by which copies leave, and copies per second and pipeline, of detect_action::mirror.
  std::string mirror_to{};
  std::uint32_t mirror_rate{10'000};
  // Events, and the hosts that `packetwarp top` has.
  std::string events{};                            // file of the events; empty: none
  std::size_t events_room{std::size_t{16} << 20};  // bytes of lines that may wait for the file
  std::chrono::seconds events_period{60};          // between two events of a flow that goes on
  std::uint32_t events_rate{1000};                 // flows per second and pipeline
};

[[nodiscard]] std::string_view to_string(detect_action action);

// The records of a table for this many pipelines.
[[nodiscard]] feature::state_sizes sizes_of(detect_config const& config, std::size_t pipelines);

}  // namespace packetwarp

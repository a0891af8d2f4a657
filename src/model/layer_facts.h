// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace packetwarp::model {

// For people: a layer of a network, or an ensemble of trees.
struct layer_facts {
  std::string name{};
  std::string kind{};
  std::uint32_t inputs{};
  std::uint32_t outputs{};
  std::uint64_t operations{};  // per row: products, or the most comparisons
  std::uint64_t bytes{};
};

}  // namespace packetwarp::model

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/integer_network.h"
#include "model/layer_facts.h"
#include "model/node_place.h"

namespace packetwarp::model {

struct tree_ensemble {
  integer_network network{};
  layer_facts facts{};
  double unit{1};
};

// Makes a network of a TreeEnsembleClassifier or TreeEnsembleRegressor (ai.onnx.ml). positions: the places of its
// features in a row. Comparisons are exact, because features are whole numbers: x <= 2.7 is x <= 2. Scores are
// fixed-point numbers of one power of two, the largest by which no sum can overflow; each leaf's is rounded to the
// nearest. Refuses the node.
[[nodiscard]] tree_ensemble make_trees(node_place const& place, std::vector<std::uint32_t> const& positions);

}  // namespace packetwarp::model

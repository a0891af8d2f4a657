// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/dense_chain.h"
#include "model/node_place.h"
#include "model/sequence/row_shape.h"
#include "model/sequence/windows.h"

namespace packetwarp::model {

// Pools as dense layers. A pool makes one value of each group of values, which are numbers of the chain's values.
using value_groups = std::vector<std::vector<std::uint32_t>>;

// The groups of windows in each channel. Refuses the node if they are more than a layer has outputs.
[[nodiscard]] value_groups groups_of(node_place const& place, sequence const& of, windows const& all);

// The groups that are left of a shape whose reduced dimensions are 1 in `kept`.
[[nodiscard]] value_groups groups_along(row_shape const& from, row_shape const& kept);

// The divisor of a mean: the number of values in the group, or the width of its window, padding included.
enum class padding_kind : std::uint8_t { is_left_out, counts };

// The means, as an open layer: the sums get their scale, by the rule of every layer.
void average_by_layer(dense_chain& chain, node_place const& place, value_groups const& groups, std::uint32_t width,
                      padding_kind padding);

// The maxima, exactly, as layers of which the last one stays open: max(a, b) = a + relu(b - a), and b - a of two int8
// fits into 8 bits once it is not below 0. A layer halves the number of values of each group.
void maximum_by_layers(dense_chain& chain, node_place const& place, value_groups const& groups);

}  // namespace packetwarp::model

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/constants.h"
#include "model/dense_chain.h"
#include "model/node_place.h"
#include "model/sequence/windows.h"

namespace packetwarp::model {

// A convolution's weights are a constant [channels made, channels taken, width]. The width; refuses weights that are
// not quantised, or no ones of a convolution along the sequence.
[[nodiscard]] std::uint32_t convolution_width(node_place const& place, constant const& from, sequence const& of);

// The matrix of a layer that makes all channels of all windows: a row for each of them, with 0 for the values outside
// of the window. Refuses the node if there are more of them than a layer has outputs.
[[nodiscard]] weight_matrix convolution_of(node_place const& place, constant const& from, sequence const& of,
                                           windows const& all);

// A number of each channel, or a single one, for all windows of the channel.
[[nodiscard]] std::vector<double> for_windows(std::vector<double> const& of_channels, windows const& all);

}  // namespace packetwarp::model

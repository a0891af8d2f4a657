// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The operations that move no number, or only its place.
#include <fmt/format.h>

#include <utility>

#include "model/graph/graph_walk.h"

namespace packetwarp::model {

std::vector<std::int64_t> graph_walk::integers_at(node_place const& place, std::size_t input,
                                                  std::string_view attribute) const {
  if (!place.input(input).empty()) {
    auto const& given = constants_.at(place, input);
    if (!given.is_integer() || given.size() > most_width) {
      place.refuse(fmt::format("its input {} is no list of integers", input + 1));
    }
    return given.data->integers;
  }
  auto const* const found = place.node().find(attribute);
  return found == nullptr ? std::vector<std::int64_t>{} : found->integers;
}

void graph_walk::pass(node_place const& place) { become(place, kind_); }

void graph_walk::flatten(node_place const& place) {
  auto const dimensions = shape_.size() + 1;
  if (auto const axis = axis_in(place, place.integer("axis", 1), dimensions); axis != 1) {
    place.refuse(fmt::format("flattens from axis {} on; allowed is axis = 1", axis));
  }
  shape_ = {chain_.width()};
  pass(place);
}

void graph_walk::reshape(node_place const& place) {
  shape_ = reshaped(place, shape_, integers_at(place, 1, "shape"));
  pass(place);
}

void graph_walk::unsqueeze(node_place const& place) {
  shape_ = unsqueezed(place, shape_, integers_at(place, 1, "axes"));
  pass(place);
}

void graph_walk::squeeze(node_place const& place) {
  shape_ = squeezed(place, shape_, integers_at(place, 1, "axes"));
  pass(place);
}

void graph_walk::transpose(node_place const& place) {
  auto const* const order = place.node().find("perm");
  auto made = transposed(place, shape_, order == nullptr ? std::span<std::int64_t const>{} : order->integers);
  chain_.permute(made.order);
  shape_ = std::move(made.shape);
  pass(place);
}

}  // namespace packetwarp::model

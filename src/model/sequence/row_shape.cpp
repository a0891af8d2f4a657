// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/sequence/row_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "model/integer_network.h"

namespace packetwarp::model {
namespace {

[[noreturn]] void refuse_shape(node_place const& place, row_shape const& from, std::span<std::int64_t const> to) {
  place.refuse(fmt::format("makes the shape [{}] of {}; after the first dimension, the rows', {} values are allowed",
                           fmt::join(to.first(std::min<std::size_t>(to.size(), 8)), ", "), text_of(from),
                           values_of(from)));
}

}  // namespace

std::uint32_t values_of(row_shape const& shape) {
  std::uint32_t values = 1;
  for (auto const dim : shape) values *= dim;
  return values;
}

std::string text_of(row_shape const& shape) { return fmt::format("[N, {}]", fmt::join(shape, ", ")); }

std::size_t axis_in(node_place const& place, std::int64_t axis, std::size_t dimensions) {
  auto const all = static_cast<std::int64_t>(dimensions);
  auto const from_front = axis < 0 ? axis + all : axis;
  if (axis < -all || axis >= all || from_front == 0) {
    place.refuse(fmt::format("works along axis {}; allowed are 1 to {}, and the rows' axis 0 is not", axis, all - 1));
  }
  return static_cast<std::size_t>(from_front);
}

row_shape reshaped(node_place const& place, row_shape const& from, std::span<std::int64_t const> to) {
  if (to.size() < 2) refuse_shape(place, from, to);
  auto const values = values_of(from);
  bool const rows_are_free = to.front() == -1;
  row_shape made;
  std::optional<std::size_t> free;
  std::uint64_t product = 1;
  for (std::size_t i = 1; i < to.size(); ++i) {
    auto dim = to[i];
    if (dim == 0 && i - 1 < from.size()) dim = from[i - 1];
    if (dim == -1 && !free && !rows_are_free) {
      free = i - 1;
      dim = 1;
    }
    if (dim < 1 || dim > values) refuse_shape(place, from, to);
    product *= static_cast<std::uint64_t>(dim);
    if (product > values) refuse_shape(place, from, to);
    made.push_back(static_cast<std::uint32_t>(dim));
  }
  if (free) made[*free] = static_cast<std::uint32_t>(values / product);
  if (values_of(made) != values) refuse_shape(place, from, to);
  return made;
}

row_shape unsqueezed(node_place const& place, row_shape const& from, std::span<std::int64_t const> axes) {
  auto const dimensions = from.size() + 1 + axes.size();
  constexpr std::size_t most_dimensions = 8;
  if (dimensions > most_dimensions) place.refuse(fmt::format("makes more than {} dimensions", most_dimensions));
  std::set<std::size_t> added;
  for (auto const axis : axes) {
    if (!added.insert(axis_in(place, axis, dimensions)).second) place.refuse("names an axis twice");
  }
  row_shape made;
  auto next = from.begin();
  for (std::size_t i = 1; i < dimensions; ++i) made.push_back(added.contains(i) ? 1 : *next++);
  return made;
}

row_shape squeezed(node_place const& place, row_shape from, std::span<std::int64_t const> axes) {
  std::set<std::size_t> gone;
  for (auto const axis : axes) gone.insert(axis_in(place, axis, from.size() + 1));
  row_shape made;
  for (std::size_t i = 0; i < from.size(); ++i) {
    bool const goes = axes.empty() ? from[i] == 1 : gone.contains(i + 1);
    if (!goes) made.push_back(from[i]);
    if (goes && from[i] != 1) place.refuse(fmt::format("removes axis {} of {}; it is not 1", i + 1, text_of(from)));
  }
  if (made.empty()) made.push_back(1);
  return made;
}

transposition transposed(node_place const& place, row_shape const& from, std::span<std::int64_t const> order) {
  auto const refuse = [&] {
    place.refuse(fmt::format("its 'perm' [{}] is no order of the dimensions of {} that keeps the rows' one first",
                             fmt::join(order.first(std::min<std::size_t>(order.size(), 8)), ", "), text_of(from)));
  };
  if (order.size() != from.size() + 1 || order.front() != 0) refuse();
  std::vector<bool> is_there(order.size());
  for (auto const axis : order) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(order.size()) || is_there[static_cast<std::size_t>(axis)])
      refuse();
    is_there[static_cast<std::size_t>(axis)] = true;
  }
  std::vector<std::uint32_t> strides(from.size(), 1);
  for (auto i = from.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * from[i];
  transposition made{.shape = {}, .order = {0}};
  for (auto const axis : order.subspan(1)) {
    auto const at = static_cast<std::size_t>(axis) - 1;
    made.shape.push_back(from[at]);
    std::vector<std::uint32_t> more;
    for (auto const begin : made.order) {
      for (std::uint32_t i = 0; i < from[at]; ++i) more.push_back(begin + i * strides[at]);
    }
    made.order = std::move(more);
  }
  return made;
}

}  // namespace packetwarp::model

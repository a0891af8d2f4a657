// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/sequence/convolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/weights.h"

namespace packetwarp::model {

std::uint32_t convolution_width(node_place const& place, constant const& from, sequence const& of) {
  if (auto const groups = place.integer("group", 1); groups != 1)
    place.refuse(fmt::format("has group = {}; allowed is 1", groups));
  require_quantised(place, from);
  auto const& dims = from.dims();
  auto const fits = [](std::int64_t dim) { return dim >= 1 && dim <= most_width; };
  if (dims.size() != 2 + of.dimensions || !std::all_of(dims.begin(), dims.end(), fits)) {
    place.refuse(
        fmt::format("its weights have {} dimensions; allowed are {} of 1 to {}: made and taken channels, width",
                    dims.size(), 2 + of.dimensions, most_width));
  }
  if (of.dimensions == 2 && dims[3 - of.along] != 1) {
    place.refuse(fmt::format("its kernel is {} x {}; only 1-D convolutions are supported", dims[2], dims[3]));
  }
  if (dims[1] != of.channels) {
    place.refuse(fmt::format("its weights take {} channels, but {} come before it", dims[1], of.channels));
  }
  auto const width = static_cast<std::uint32_t>(dims[2 + of.along]);
  if (auto const said = kernel_width_of(place, of, width); said != width) {
    place.refuse(fmt::format("has the kernel width {}, but its weights have {}", said, width));
  }
  return width;
}

weight_matrix convolution_of(node_place const& place, constant const& from, sequence const& of, windows const& all) {
  auto const channels = static_cast<std::uint32_t>(from.dims()[0]);
  if (std::uint64_t{channels} * all.count > most_width) {
    place.refuse(
        fmt::format("makes {} channels x {} positions; allowed are {} values", channels, all.count, most_width));
  }
  auto const& scales = from.by->scales;
  if (scales.size() > 1 && (from.by->axis != 0 || scales.size() != channels)) {
    place.refuse(fmt::format("its weights have {} scales; allowed are one, and one per channel", scales.size()));
  }
  weight_matrix made{.inputs = of.channels * of.positions, .outputs = channels * all.count};
  made.kind = "conv";
  made.values.resize(std::size_t{made.inputs} * made.outputs);
  made.scales = for_windows(scales.size() > 1 ? scales : std::vector<double>(channels, scales.front()), all);
  for (std::uint32_t o = 0; o < made.outputs; ++o) {
    auto const within = range_of(all, o % all.count, of.positions);
    for (std::uint32_t taken = 0; taken < of.channels; ++taken) {
      auto const weights = (std::size_t{o / all.count} * of.channels + taken) * all.width + within.first_tap;
      auto const inputs = std::size_t{o} * made.inputs + taken * of.positions;
      for (auto i = within.begin; i < within.end; ++i) {
        made.values[inputs + i] = weight_of(place, from, weights + (i - within.begin));
      }
    }
  }
  return made;
}

std::vector<double> for_windows(std::vector<double> const& of_channels, windows const& all) {
  std::vector<double> made;
  for (auto const number : of_channels) made.insert(made.end(), all.count, number);
  return made;
}

}  // namespace packetwarp::model

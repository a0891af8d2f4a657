// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/sequence/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "model/integer_network.h"
#include "model/printable.h"

namespace packetwarp::model {
namespace {

// The numbers of an attribute that has `each` of them per dimension beside the channels; those of the dimension of the
// positions. The other dimension has to have `neutral`, unless any number does nothing there.
[[nodiscard]] std::vector<std::int64_t> along_sequence(node_place const& place, sequence const& of,
                                                       std::string_view name, std::size_t each,
                                                       std::optional<std::int64_t> neutral, std::int64_t otherwise) {
  auto const* const found = place.node().find(name);
  if (found == nullptr || found->integers.empty()) return std::vector<std::int64_t>(each, otherwise);
  auto const& all = found->integers;
  if (all.size() != each * of.dimensions) {
    place.refuse(fmt::format("has {} numbers in '{}'; allowed are {}: only 1-D convolutions and pools are supported",
                             all.size(), name, each * of.dimensions));
  }
  std::vector<std::int64_t> made;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % of.dimensions == of.along) {
      made.push_back(all[i]);
    } else if (neutral && all[i] != *neutral) {
      place.refuse(fmt::format("has {} in '{}' along the dimension of 1; allowed is {}", all[i], name, *neutral));
    }
  }
  return made;
}

[[nodiscard]] std::uint32_t bounded(node_place const& place, std::int64_t value, std::string_view what,
                                    std::int64_t least) {
  if (value < least || value > most_width) {
    place.refuse(fmt::format("has the {} {}; allowed are {} to {}", what, value, least, most_width));
  }
  return static_cast<std::uint32_t>(value);
}

void require_plain(node_place const& place, sequence const& of) {
  auto const dilation = along_sequence(place, of, "dilations", 1, 1, 1).front();
  if (dilation != 1) place.refuse(fmt::format("has the dilation {}; allowed is 1", dilation));
  if (place.integer("ceil_mode", 0) != 0) place.refuse("has ceil_mode = 1; allowed is 0");
  if (place.integer("channels_last", 0) != 0) place.refuse("has channels_last = 1; allowed is 0");
  if (place.integer("storage_order", 0) != 0) place.refuse("has storage_order = 1; allowed is 0");
}

}  // namespace

sequence sequence_of(node_place const& place, row_shape const& shape) {
  if (shape.size() == 2) return {.channels = shape[0], .positions = shape[1], .dimensions = 1, .along = 0};
  if (shape.size() == 3 && (shape[1] == 1 || shape[2] == 1)) {
    std::size_t const along = shape[1] == 1 ? 1 : 0;
    return {.channels = shape[0], .positions = shape[1 + along], .dimensions = 2, .along = along};
  }
  place.refuse(
      fmt::format("takes the shape {}; allowed are sequences, [N, channels, positions], by a Reshape of the "
                  "features or in the input's shape",
                  text_of(shape)));
}

row_shape shape_of(sequence const& like, std::uint32_t channels, std::uint32_t positions) {
  row_shape made{channels};
  for (std::size_t i = 0; i < like.dimensions; ++i) made.push_back(i == like.along ? positions : 1);
  return made;
}

std::uint32_t kernel_width_of(node_place const& place, sequence const& of, std::uint32_t otherwise) {
  return bounded(place, along_sequence(place, of, "kernel_shape", 1, 1, otherwise).front(), "kernel width", 1);
}

windows windows_of(node_place const& place, sequence const& of, std::uint32_t width) {
  require_plain(place, of);
  windows made{.width = width};
  // The stride along a dimension of 1 changes nothing, but an exporter may give it both.
  made.stride = bounded(place, along_sequence(place, of, "strides", 1, {}, 1).front(), "stride", 1);
  auto const pads = along_sequence(place, of, "pads", 2, 0, 0);
  made.padding = bounded(place, pads[0], "padding", 0);
  auto padding_after = bounded(place, pads[1], "padding", 0);
  auto const automatic = place.text("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    made.count = (of.positions + made.stride - 1) / made.stride;
    auto const needs = (made.count - 1) * made.stride + width;
    auto const padding = needs > of.positions ? needs - of.positions : 0;
    made.padding = automatic == "SAME_UPPER" ? padding / 2 : padding - padding / 2;
    return made;
  }
  if (automatic == "VALID") {
    made.padding = padding_after = 0;
  } else if (automatic != "NOTSET" && !automatic.empty()) {
    place.refuse(
        fmt::format("has auto_pad = {}; allowed are NOTSET, VALID, SAME_UPPER and SAME_LOWER", printable(automatic)));
  }
  if (std::max(made.padding, padding_after) >= width) {
    place.refuse(fmt::format("has the padding {}; allowed is less than the kernel's width, {}",
                             std::max(made.padding, padding_after), width));
  }
  auto const padded = of.positions + made.padding + padding_after;
  if (padded < width) {
    place.refuse(fmt::format("its kernel of {} is wider than the {} positions before it", width, padded));
  }
  made.count = (padded - width) / made.stride + 1;
  return made;
}

position_range range_of(windows const& all, std::uint32_t number, std::uint32_t positions) {
  auto const begin = number * all.stride;  // of the padded sequence
  auto const end = std::min(begin + all.width, positions + all.padding);
  auto const first = std::max(begin, all.padding);
  return {.begin = first - all.padding, .end = end - all.padding, .first_tap = first - begin};
}

}  // namespace packetwarp::model

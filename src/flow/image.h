// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "flow/grammar.h"
#include "flow/rule.h"

namespace packetwarp::flow {

// Items and actions as bytes: the form that rte_flow takes, and that tables are compiled from. grammar.h gives the
// layout with each field.

using image_bytes = std::array<std::byte, largest_image>;

// An item's demands on its header. A part without demands is absent, which is not the same as all zeros: no spec
// matches every header, and no mask is rte_flow's default for the item.
struct item_image {
  image_bytes spec{};
  image_bytes last{};
  image_bytes mask{};
  bool has_spec{};
  bool has_last{};
  bool has_mask{};
};

[[nodiscard]] item_image image_of(item const& what);
// Nothing for rss: its configuration holds pointers (nic.h).
[[nodiscard]] image_bytes image_of(action const& what);

// Writes a value, or the mask that a prefix length stands for, into an image; neighbouring fields keep their bits.
void put_value(field const& of, field_value const& value, std::byte* image);
void put_ones(field const& of, unsigned leading, std::byte* image);

}  // namespace packetwarp::flow

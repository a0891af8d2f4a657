// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/image.h"

#include <algorithm>

#include "flow/value_text.h"

namespace packetwarp::flow {
namespace {

// Writes fields of up to 8 bytes as numbers: `value` into the bits of `of`.
void put_number(field const& of, std::uint64_t value, std::byte* image) {
  auto const own = of.width() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << of.width()) - 1;
  for (unsigned i = 0; i < of.size; ++i) {
    auto const at = of.byte_order == field::order::network ? of.size - 1U - i : i;
    auto const keep = ~(own << of.shift) >> (8 * i) & 0xff;
    auto const added = (value & own) << of.shift >> (8 * i) & 0xff;
    auto& byte = image[of.offset + at];
    byte = (byte & static_cast<std::byte>(keep)) | static_cast<std::byte>(added);
  }
}

bool is_number(field const& of) { return of.kind == value_kind::number || of.kind == value_kind::flag; }

}  // namespace

void put_value(field const& of, field_value const& value, std::byte* image) {
  if (is_number(of)) {
    put_number(of, to_number(of, value), image);
  } else {
    std::copy_n(value.bytes.begin(), of.size, image + of.offset);
  }
}

void put_ones(field const& of, unsigned leading, std::byte* image) {
  if (is_number(of)) {
    put_number(of, leading == 0 ? 0 : ~std::uint64_t{0} << (of.width() - leading), image);
    return;
  }
  for (unsigned i = 0; i < of.size; ++i) {
    auto const here = std::clamp(static_cast<int>(leading) - static_cast<int>(8 * i), 0, 8);
    image[of.offset + i] = static_cast<std::byte>(0xff00U >> here);
  }
}

item_image image_of(item const& what) {
  auto const fields = grammar_of(what.kind).fields;
  item_image made;
  for (auto const& set : what.settings) {
    auto const& of = fields[set.field];
    switch (set.how) {
      case relation::is:
        put_ones(of, of.width(), made.mask.data());
        made.has_mask = true;
        [[fallthrough]];
      case relation::spec:
        put_value(of, set.value, made.spec.data());
        made.has_spec = true;
        break;
      case relation::last:
        put_value(of, set.value, made.last.data());
        made.has_last = true;
        break;
      case relation::mask:
        put_value(of, set.value, made.mask.data());
        made.has_mask = true;
        break;
      case relation::prefix:
        put_ones(of, std::to_integer<unsigned>(set.value.bytes[0]), made.mask.data());
        made.has_mask = true;
        break;
    }
  }
  return made;
}

image_bytes image_of(action const& what) {
  auto const fields = grammar_of(what.kind).fields;
  image_bytes made{};
  for (auto const& set : what.settings) put_value(fields[set.field], set.value, made.data());
  return made;
}

}  // namespace packetwarp::flow

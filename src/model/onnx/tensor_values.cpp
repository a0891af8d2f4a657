// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/tensor_values.h"

#include <fmt/format.h>

#include <bit>

#include "model/onnx/protobuf_reader.h"
#include "model/printable.h"

namespace packetwarp::model::onnx {
namespace {

// The low bits of a little-endian number, with its sign.
[[nodiscard]] std::int64_t integer_of(std::span<std::byte const> bytes, element_type type) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  switch (type) {
    case element_type::int8:
      return static_cast<std::int8_t>(value);
    case element_type::int32:
      return static_cast<std::int32_t>(value);
    default:
      return static_cast<std::int64_t>(value);
  }
}

void require_count(tensor const& read) {
  std::uint64_t count = 1;
  for (auto const dim : read.dims) {
    if (dim < 0 || static_cast<std::uint64_t>(dim) > most_numbers) {
      throw malformed_message(fmt::format("tensor '{}' has a dimension of {}", printable(read.name), dim));
    }
    count *= static_cast<std::uint64_t>(dim);
    if (count > most_numbers) throw malformed_message(fmt::format("tensor '{}' is too large", printable(read.name)));
  }
  if (count != read.size()) {
    throw malformed_message(
        fmt::format("tensor '{}' has {} values; its dimensions say {}", printable(read.name), read.size(), count));
  }
}

// Values of the narrow types lie in int32_data, where a writer may have put any number.
void require_range(tensor const& read) {
  auto const bits = 8 * bytes_of(read.type);
  if (read.type == element_type::float32 || bits == 64) return;
  auto const least = read.type == element_type::uint8 ? 0 : -(std::int64_t{1} << (bits - 1));
  auto const most = least + (std::int64_t{1} << bits) - 1;
  for (auto const value : read.integers) {
    if (value < least || value > most) {
      throw malformed_message(
          fmt::format("tensor '{}' has the value {}, which is no {}", printable(read.name), value, name_of(read.type)));
    }
  }
}

}  // namespace

bool has_values(element_type type) {
  using enum element_type;
  return type == float32 || type == uint8 || type == int8 || type == int32 || type == int64;
}

std::size_t bytes_of(element_type type) {
  if (type == element_type::int64) return 8;
  return type == element_type::float32 || type == element_type::int32 ? 4 : 1;
}

void decode_raw(std::span<std::byte const> raw, tensor& into) {
  if (into.size() != 0) throw malformed_message(fmt::format("tensor '{}' has its values twice", printable(into.name)));
  auto const size = bytes_of(into.type);
  if (raw.size() % size != 0) {
    throw malformed_message(fmt::format("tensor '{}' ends in the middle of a value", printable(into.name)));
  }
  for (std::size_t at = 0; at < raw.size(); at += size) {
    auto const value = integer_of(raw.subspan(at, size), into.type);
    if (into.type == element_type::float32) {
      into.floats.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(value)));
    } else {
      into.integers.push_back(value);
    }
  }
}

void require_sound(tensor const& read) {
  require_count(read);
  require_range(read);
}

}  // namespace packetwarp::model::onnx

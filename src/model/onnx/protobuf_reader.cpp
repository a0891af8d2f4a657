// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/protobuf_reader.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace packetwarp::model::onnx {

std::uint64_t protobuf_reader::take_varint(std::span<std::byte const>& from) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    auto const next = std::to_integer<std::uint64_t>(take_bytes(from, 1).front());
    value |= (next & 0x7f) << shift;
    if ((next & 0x80) == 0) return value;
  }
  throw malformed_message("an integer is longer than ten bytes");
}

std::span<std::byte const> protobuf_reader::take_bytes(std::span<std::byte const>& from, std::uint64_t count) {
  if (count > from.size()) throw malformed_message("it ends in the middle of a field");
  auto const taken = from.first(static_cast<std::size_t>(count));
  from = from.subspan(static_cast<std::size_t>(count));
  return taken;
}

float protobuf_reader::float_of(std::span<std::byte const> four) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < sizeof bits; ++i) bits |= std::to_integer<std::uint32_t>(four[i]) << (8 * i);
  return std::bit_cast<float>(bits);
}

bool protobuf_reader::next() {
  if (rest_.empty()) return false;
  auto const tag = take_varint(rest_);
  if (tag >> 3 == 0 || tag >> 3 >= 1U << 29)
    throw malformed_message(fmt::format("no field has the number {}", tag >> 3));
  field_ = static_cast<std::uint32_t>(tag >> 3);
  type_ = static_cast<wire_type>(tag & 7);
  switch (type_) {
    case wire_type::varint:
      number_ = take_varint(rest_);
      return true;
    case wire_type::eight_bytes:
      bytes_ = take_bytes(rest_, 8);
      return true;
    case wire_type::length_delimited:
      bytes_ = take_bytes(rest_, take_varint(rest_));
      return true;
    case wire_type::four_bytes:
      bytes_ = take_bytes(rest_, 4);
      return true;
  }
  throw malformed_message(fmt::format("field {} has the wire type {}, which is not in use", field_, tag & 7));
}

void protobuf_reader::require(wire_type type) const {
  if (type_ == type) return;
  throw malformed_message(fmt::format("field {} has the wire type {} instead of {}", field_,
                                      static_cast<unsigned>(type_), static_cast<unsigned>(type)));
}

std::int64_t protobuf_reader::integer() const {
  require(wire_type::varint);
  return static_cast<std::int64_t>(number_);
}

float protobuf_reader::float32() const {
  require(wire_type::four_bytes);
  return float_of(bytes_);
}

std::span<std::byte const> protobuf_reader::bytes() const {
  require(wire_type::length_delimited);
  return bytes_;
}

std::string protobuf_reader::text() const {
  auto const taken = bytes();
  return {reinterpret_cast<char const*>(taken.data()), taken.size()};
}

}  // namespace packetwarp::model::onnx

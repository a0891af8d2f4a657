// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace packetwarp::model::onnx {

// Bytes that are no protobuf message, or a field of another type than the format says.
class malformed_message : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads the fields of a message in protobuf's wire format, in their order (protobuf.dev, "Encoding"). Messages within
// are bytes(), for a reader of their own: the caller decides how deep it goes. Every read is checked against the end of
// the bytes, which the caller keeps. All calls throw malformed_message.
class protobuf_reader {
 public:
  explicit protobuf_reader(std::span<std::byte const> message) : rest_{message} {}

  // Moves to the next field. False: the message ends.
  [[nodiscard]] bool next();
  [[nodiscard]] std::uint32_t field() const { return field_; }

  // The field's value, by its type. Numbers may be read as repeated ones too, which a writer packs or lists one by one.
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] float float32() const;
  [[nodiscard]] std::span<std::byte const> bytes() const;
  [[nodiscard]] std::string text() const;
  // Call `add(value)` for each of the field's values.
  void each_integer(auto const& add) const;
  void each_float32(auto const& add) const;

 private:
  enum class wire_type : std::uint8_t { varint = 0, eight_bytes = 1, length_delimited = 2, four_bytes = 5 };

  [[nodiscard]] static std::uint64_t take_varint(std::span<std::byte const>& from);
  [[nodiscard]] static std::span<std::byte const> take_bytes(std::span<std::byte const>& from, std::uint64_t count);
  [[nodiscard]] static float float_of(std::span<std::byte const> four);
  void require(wire_type type) const;

  std::span<std::byte const> rest_;
  std::uint32_t field_{};
  wire_type type_{};
  std::uint64_t number_{};            // of a varint
  std::span<std::byte const> bytes_;  // of all other types
};

void protobuf_reader::each_integer(auto const& add) const {
  if (type_ != wire_type::length_delimited) return add(integer());
  for (auto packed = bytes_; !packed.empty();) add(static_cast<std::int64_t>(take_varint(packed)));
}

void protobuf_reader::each_float32(auto const& add) const {
  if (type_ != wire_type::length_delimited) return add(float32());
  for (auto packed = bytes_; !packed.empty();) add(float_of(take_bytes(packed, sizeof(float))));
}

}  // namespace packetwarp::model::onnx

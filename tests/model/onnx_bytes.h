// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/onnx/onnx_file.h"

namespace packetwarp::model::test {

// Writes a protobuf message, field by field.
class message {
 public:
  message& integer(std::uint32_t field, std::int64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  message& number(std::uint32_t field, float value) {
    varint(std::uint64_t{field} << 3 | 5);
    little_endian(std::bit_cast<std::uint32_t>(value), 4);
    return *this;
  }
  message& text(std::uint32_t field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  message& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  message& within(std::uint32_t field, message const& value) { return text(field, value.bytes_); }
  message& varint(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
    return *this;
  }
  message& little_endian(std::uint64_t value, unsigned count) {
    for (; count != 0; --count, value >>= 8) bytes_ += static_cast<char>(value);
    return *this;
  }
  [[nodiscard]] std::string const& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// The messages of onnx.proto.
[[nodiscard]] inline message integers(std::string_view name, std::vector<std::int64_t> const& dims,
                                      onnx::element_type type, std::vector<std::int64_t> const& values) {
  message made, raw;
  for (auto const dim : dims) made.integer(1, dim);
  made.integer(2, static_cast<std::int64_t>(type)).text(8, name);
  auto const size = type == onnx::element_type::int64 ? 8U : type == onnx::element_type::int32 ? 4U : 1U;
  for (auto const value : values) raw.little_endian(static_cast<std::uint64_t>(value), size);
  return made.text(9, raw.bytes());
}
[[nodiscard]] inline message floats(std::string_view name, std::vector<std::int64_t> const& dims,
                                    std::vector<float> const& values) {
  message made, packed;
  for (auto const dim : dims) made.integer(1, dim);
  for (auto const value : values) packed.little_endian(std::bit_cast<std::uint32_t>(value), 4);
  return made.integer(2, 1).text(8, name).text(4, packed.bytes());
}

[[nodiscard]] inline message attribute(std::string_view name, std::int64_t value) {
  return message{}.text(1, name).integer(3, value).integer(20, 2);
}
[[nodiscard]] inline message attribute(std::string_view name, float value) {
  return message{}.text(1, name).number(2, value).integer(20, 1);
}
[[nodiscard]] inline message attribute(std::string_view name, std::string_view value) {
  return message{}.text(1, name).text(4, value).integer(20, 3);
}
[[nodiscard]] inline message attribute(std::string_view name, std::vector<std::int64_t> const& values) {
  auto made = message{}.text(1, name);
  for (auto const value : values) made.integer(8, value);
  return made.integer(20, 7);
}
[[nodiscard]] inline message attribute(std::string_view name, std::vector<float> const& values) {
  auto made = message{}.text(1, name);
  for (auto const value : values) made.number(7, value);
  return made.integer(20, 6);
}
[[nodiscard]] inline message attribute(std::string_view name, std::vector<std::string> const& values) {
  auto made = message{}.text(1, name);
  for (auto const& value : values) made.text(9, value);
  return made.integer(20, 8);
}

// A node, whose name is its operation's in small letters with its first output.
[[nodiscard]] inline message node(std::string_view operation, std::vector<std::string> const& inputs,
                                  std::vector<std::string> const& outputs, std::vector<message> const& attributes = {},
                                  std::string_view domain = "") {
  message made;
  for (auto const& input : inputs) made.text(1, input);
  for (auto const& output : outputs) made.text(2, output);
  made.text(3, "the_" + (outputs.empty() ? std::string{"last"} : outputs.front())).text(4, operation).text(7, domain);
  for (auto const& one : attributes) made.within(5, one);
  return made;
}

// A model's parts. The input "x" and the output "y" are matrices.
struct model_parts {
  std::vector<message> nodes{};
  std::vector<message> tensors{};
  std::string features{"a,b"};
  onnx::element_type input{onnx::element_type::float32};
  std::int64_t width{2};
  std::vector<std::int64_t> shape{};  // of a row, in place of the width
  std::string output{"y"};
  std::int64_t format{8};  // ir_version
  std::vector<std::pair<std::string, std::int64_t>> imports{{"", 13}, {"ai.onnx.ml", 3}, {"com.microsoft", 1}};
};

[[nodiscard]] inline message matrix_info(std::string_view name, onnx::element_type type,
                                         std::vector<std::int64_t> const& row) {
  auto shape = message{}.within(1, message{}.text(2, "N"));
  for (auto const dim : row) shape.within(1, message{}.integer(1, dim));
  auto const tensor = message{}.integer(1, static_cast<std::int64_t>(type)).within(2, shape);
  return message{}.text(1, name).within(2, message{}.within(1, tensor));
}

[[nodiscard]] inline std::string bytes_of(model_parts const& parts) {
  message graph;
  for (auto const& one : parts.nodes) graph.within(1, one);
  graph.text(2, "graph");
  for (auto const& one : parts.tensors) graph.within(5, one);
  graph.within(11, matrix_info("x", parts.input, parts.shape.empty() ? std::vector{parts.width} : parts.shape));
  graph.within(12, message{}.text(1, parts.output));
  message made;
  made.integer(1, parts.format).text(2, "tests").within(7, graph);
  if (!parts.features.empty()) made.within(14, message{}.text(1, "features").text(2, parts.features));
  for (auto const& [domain, version] : parts.imports) made.within(8, message{}.text(1, domain).integer(2, version));
  return made.bytes();
}

[[nodiscard]] inline onnx::file file_of(std::string const& bytes) {
  return onnx::read_bytes("m.onnx", std::as_bytes(std::span{bytes}));
}

}  // namespace packetwarp::model::test

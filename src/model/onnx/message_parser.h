// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "model/onnx/onnx_file.h"
#include "model/onnx/protobuf_reader.h"

namespace packetwarp::model::onnx {

// Reads the messages of onnx.proto, each by a function of its own, so that no input makes it go deeper than ModelProto,
// GraphProto, NodeProto, AttributeProto, TensorProto. An object reads one file. Throws malformed_message.
class message_parser {
 public:
  void read_model(std::span<std::byte const> message, file& into);

 private:
  using bytes = std::span<std::byte const>;

  void read_graph(bytes message, file& into);
  [[nodiscard]] node read_node(bytes message);
  [[nodiscard]] attribute read_attribute(bytes message);
  [[nodiscard]] tensor read_tensor(bytes message);
  [[nodiscard]] value_info read_value_info(bytes message);
  void read_type(bytes message, value_info& into);
  void read_shape(bytes message, value_info& into);
  void read_metadata(bytes message, file& into);
  void read_import(bytes message, file& into);

  // Count towards the bounds of a file.
  void count_items(std::size_t more);
  void count_numbers(std::size_t more);
  [[nodiscard]] std::string text_of(protobuf_reader const& reader);
  void add_integers(protobuf_reader const& reader, std::vector<std::int64_t>& to);
  void add_floats(protobuf_reader const& reader, std::vector<float>& to);

  std::size_t items_{};
  std::size_t numbers_{};
};

}  // namespace packetwarp::model::onnx

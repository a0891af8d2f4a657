// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/onnx/onnx_file.h"

namespace packetwarp::model {

// A node of a file: its inputs and attributes, and the error line that names it. The file outlives it.
class node_place {
 public:
  node_place(std::string const& path, onnx::node const& node) : path_{&path}, node_{&node} {}

  // Throws usage_error: "FILE: node 'NAME' (OPERATION): WHY".
  [[noreturn]] void refuse(std::string_view why) const;

  [[nodiscard]] onnx::node const& node() const { return *node_; }
  [[nodiscard]] std::string const& operation() const { return node_->op_type; }
  // The node's name, or without one that of its first output.
  [[nodiscard]] std::string name() const;
  // The name of an input; empty for one that is left out.
  [[nodiscard]] std::string_view input(std::size_t number) const;
  // Refuses a node without an output.
  [[nodiscard]] std::string const& output() const;
  // Attributes, or the values that they have without being there.
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] float number(std::string_view name, float otherwise) const;
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise) const;

 private:
  std::string const* path_;
  onnx::node const* node_;
};

}  // namespace packetwarp::model

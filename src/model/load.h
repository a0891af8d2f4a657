// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/integer_network.h"
#include "model/layer_facts.h"
#include "model/onnx/onnx_file.h"

namespace packetwarp::model {

struct loaded_model {
  integer_network network{};
  std::vector<std::string> features{};  // in the model's order
  std::vector<layer_facts> layers{};
  double unit{
      1};  // the number that a score of 1 stands for, in the model's own units before a trailing Sigmoid or Softmax
};

// Makes a network of a file. known: the names of a row's bytes, of which the model's features are some. Throws
// usage_error with one line: the file, the node, what is wrong with it, what is allowed (docs/models.md has the
// operations).
[[nodiscard]] loaded_model load(onnx::file const& file, std::span<std::string_view const> known);

}  // namespace packetwarp::model

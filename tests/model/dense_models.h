// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/evaluate.h"
#include "model/load.h"
#include "model/onnx_bytes.h"

namespace packetwarp::model::test {

// Two features, a layer of two neurons with Relu, and a score, in QDQ form. Scales are powers of two, so that every
// result is a whole number that a person can check:
//   h = clamp(round((2 a - 3 b + 10) / 4), 0, 127), i = clamp(round((a + b) / 4), 0, 127); y = 5 h - 7 i + 3
[[nodiscard]] inline model_parts small_network() {
  using enum onnx::element_type;
  model_parts parts;
  parts.tensors = {floats("one", {}, {1}),       integers("zero", {}, int8, {0}),
                   floats("four", {}, {4}),      integers("w1", {2, 2}, int8, {2, 1, -3, 1}),
                   floats("b1", {2}, {10, 0}),   integers("w2", {1, 2}, int8, {5, -7}),
                   floats("quarter", {}, {.25}), integers("b2", {1}, int32, {3})};
  parts.nodes = {node("DequantizeLinear", {"w1", "one", "zero"}, {"w1_real"}),
                 node("DequantizeLinear", {"w2", "quarter", "zero"}, {"w2_real"}),
                 node("DequantizeLinear", {"b2", "one"}, {"b2_real"}),
                 node("QuantizeLinear", {"x", "one", "zero"}, {"x_q"}),
                 node("DequantizeLinear", {"x_q", "one", "zero"}, {"x_real"}),
                 node("MatMul", {"x_real", "w1_real"}, {"h_product"}),
                 node("Add", {"h_product", "b1"}, {"h_sum"}),
                 node("Relu", {"h_sum"}, {"h"}),
                 node("QuantizeLinear", {"h", "four", "zero"}, {"h_q"}),
                 node("DequantizeLinear", {"h_q", "four", "zero"}, {"h_real"}),
                 node("Gemm", {"h_real", "w2_real", "b2_real"}, {"y"}, {attribute("transB", std::int64_t{1})})};
  return parts;
}

inline constexpr std::string_view two_names[] = {"a", "b"};

[[nodiscard]] inline loaded_model load_parts(model_parts const& parts,
                                             std::span<std::string_view const> known = two_names) {
  return load(file_of(bytes_of(parts)), known);
}

// The scores of a row.
[[nodiscard]] inline std::vector<std::int32_t> scores_of(loaded_model const& loaded, std::vector<std::int8_t> row) {
  row.resize(row_bytes);
  std::vector<std::int32_t> scores(loaded.network.ref().outputs());
  evaluate_by(instruction_set::scalar, loaded.network.ref(), row.data(), 1, scores.data());
  return scores;
}

// The line that refuses a model; "loaded" if it is not refused.
[[nodiscard]] inline std::string refusal_of(model_parts const& parts,
                                            std::span<std::string_view const> known = two_names) {
  try {
    (void)load_parts(parts, known);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "loaded";
}

}  // namespace packetwarp::model::test

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/constants.h"
#include "model/dense_chain.h"
#include "model/node_place.h"
#include "model/onnx/onnx_file.h"
#include "model/sequence/row_shape.h"
#include "model/sequence/windows.h"
#include "model/tree_ensemble.h"

namespace packetwarp::model {

// Goes through the nodes of a graph from its one input to its scores. The graph has to be a chain: each node takes the
// value of the one before it, and constants. Every other node is refused.
class graph_walk {
 public:
  // The input is the row's features, at these places. They have the shape that the input has after its first dimension.
  graph_walk(onnx::file const& file, onnx::value_info const& input, std::vector<std::uint32_t> positions);

  void take(onnx::node const& node);
  // Whether a value is the network's result, or made of it by functions that keep the order of scores.
  [[nodiscard]] bool is_result(std::string const& name) const { return name == value_ || results_.contains(name); }

  [[nodiscard]] std::optional<tree_ensemble>& trees() { return trees_; }
  [[nodiscard]] dense_chain& layers() { return chain_; }

 private:
  enum class value_kind : std::uint8_t { real, quantised, sums };
  struct operation {
    std::string_view name;
    void (graph_walk::*take)(node_place const&);
  };
  static std::vector<operation> const& operations();

  void require_chain(node_place const& place) const;
  void require(node_place const& place, value_kind kind) const;
  // Refuses a product of a matrix with several positions, and takes up the width that it makes.
  void require_flat(node_place const& place) const;
  void multiply_by(node_place const& place, weight_matrix weights);
  // The constants of an attribute that later versions of an operation have as an input.
  [[nodiscard]] std::vector<std::int64_t> integers_at(node_place const& place, std::size_t input,
                                                      std::string_view attribute) const;
  // The zero points of operations on integers alone, and the input's one, less 128 if it is uint8.
  [[nodiscard]] std::vector<std::int64_t> integer_zero_points(node_place const& place, std::size_t input) const;
  [[nodiscard]] std::int32_t integer_zero_point(node_place const& place, std::size_t input) const;
  // The constant beside the chain's value, of an operation with two operands.
  [[nodiscard]] constant const& operand(node_place const& place) const;
  void become(node_place const& place, value_kind kind);
  // The scaling of the quantised value that a node takes, whose zero point has to be of its type.
  [[nodiscard]] activation input_at(node_place const& place, std::size_t scale_input,
                                    std::size_t zero_point_input) const;
  void quantise_by(node_place const& place, std::size_t scale_input, std::size_t zero_point_input,
                   onnx::element_type otherwise);
  void take_after_the_end(node_place const& place);
  // The single number beside the value.
  [[nodiscard]] double operand_after_the_end(node_place const& place) const;

  void quantise(node_place const& place);
  void dequantise(node_place const& place);
  void gemm(node_place const& place);
  void matmul(node_place const& place);
  void add(node_place const& place);
  void multiply(node_place const& place);
  void relu(node_place const& place);
  void clip(node_place const& place);
  // Refuses a QLinearMatMul or QLinearConv without one of its zero points: they say which types the integers have.
  void require_zero_points(node_place const& place) const;
  void quantised_matmul(node_place const& place);
  void quantised_gemm(node_place const& place);
  void quantised_add(node_place const& place);
  void integer_matmul(node_place const& place);
  void cast(node_place const& place);
  void pass(node_place const& place);
  void flatten(node_place const& place);
  void reshape(node_place const& place);
  void unsqueeze(node_place const& place);
  void squeeze(node_place const& place);
  void transpose(node_place const& place);
  windows convolve_by(node_place const& place, constant const& weights);
  void convolve(node_place const& place);
  void quantised_convolve(node_place const& place);
  void integer_convolve(node_place const& place);
  void require_quantised_values(node_place const& place) const;
  void maximum_pool(node_place const& place);
  void average_pool(node_place const& place);
  void global_maximum_pool(node_place const& place);
  void global_average_pool(node_place const& place);
  void reduce_mean(node_place const& place);
  void quantised_average_pool(node_place const& place);
  void quantised_global_average_pool(node_place const& place);
  void average_by_windows(node_place const& place);
  void average_of_all(node_place const& place);
  void end(node_place const& place);
  void ensemble(node_place const& place);
  void refuse_scaling(node_place const& place);

  std::string path_;
  constant_table constants_;
  dense_chain chain_;
  row_shape shape_;  // of the current value
  std::optional<tree_ensemble> trees_;
  std::string value_;                                     // the name of the current value
  value_kind kind_{value_kind::real};                     // real numbers, which integers may stand for
  onnx::element_type type_{onnx::element_type::float32};  // of quantised values
  std::set<std::string, std::less<>> results_;            // names of the values after the scores
};

}  // namespace packetwarp::model

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "model/evaluate_blocks.h"
#include "model/walk_tree.h"

namespace packetwarp::model {
namespace {

[[nodiscard]] std::int32_t sum_of(network_ref network, dense_layer const& layer, std::uint32_t output,
                                  std::int8_t const* inputs) {
  auto const* const weights = network.at<std::int8_t>(layer.weights) + std::size_t{output} * layer.padded_inputs;
  auto sum = network.at<std::int32_t>(layer.bias)[output];
  for (std::uint32_t i = 0; i < layer.padded_inputs; ++i) sum += std::int32_t{inputs[i]} * weights[i];
  return sum;
}

[[nodiscard]] std::int32_t result_of(network_ref network, dense_layer const& layer, std::uint32_t output,
                                     std::int8_t const* inputs) {
  auto const sum = sum_of(network, layer, output, inputs);
  if (layer.scales == 0) return sum;
  return rescaled(sum, network.at<fixed_factor>(layer.scales)[output], layer.range);
}

// This code defines the scores: all other code must have its bits.
void evaluate_dense_row(network_ref network, std::int8_t const* row, std::int32_t* scores) {
  std::array<std::int8_t, most_width> first{}, second{};
  auto* here = first.data();
  auto* next = second.data();
  if (auto const table = network.header().input_table; table != 0) {
    for (std::uint32_t i = 0; i < row_bytes; ++i) {
      here[i] = network.at<std::int8_t>(table)[static_cast<std::uint8_t>(row[i])];
    }
  } else {
    std::memcpy(here, row, row_bytes);
  }
  auto const last = network.header().count - 1;
  for (std::uint32_t n = 0; n < last; ++n) {
    auto const& layer = network.layer(n);
    for (std::uint32_t o = 0; o < layer.padded_outputs; ++o) {
      next[o] = static_cast<std::int8_t>(result_of(network, layer, o, here));
    }
    std::swap(here, next);
  }
  auto const& layer = network.layer(last);
  for (std::uint32_t o = 0; o < layer.outputs; ++o) scores[o] = result_of(network, layer, o, here);
}

// Adds a leaf's scores to a row's.
void add_leaf(network_ref network, std::uint32_t leaf, std::int32_t* scores) {
  auto const& header = network.header();
  if (header.outputs == 1) {
    scores[0] += static_cast<std::int32_t>(leaf);
    return;
  }
  auto const* const of_leaf = network.at<std::int32_t>(header.leaf_scores) + std::size_t{leaf} * header.outputs;
  for (std::uint32_t o = 0; o < header.outputs; ++o) scores[o] += of_leaf[o];
}

// Rows whose walks are side by side without vector instructions.
constexpr std::size_t rows_at_once = 16;
constexpr std::size_t few_rows = 4;

// walk: of one tree or more, up to Trees, as walk_trees_avx512().
template <std::size_t Rows, std::uint32_t Trees>
void evaluate_tree_rows(network_ref network, std::int8_t const* rows, std::int32_t* scores, auto const& walk) {
  auto const& header = network.header();
  auto const* const nodes = network.at<std::uint64_t>(header.nodes);
  auto const* const roots = network.at<std::uint32_t>(header.parts);
  for (std::size_t i = 0; i < Rows; ++i) {
    std::memcpy(scores + i * header.outputs, network.at<std::int32_t>(header.base),
                header.outputs * sizeof(std::int32_t));
  }
  std::array<std::uint32_t, Rows * Trees> leaves;
  for (std::uint32_t tree = 0; tree < header.count; tree += Trees) {
    auto const trees = std::min(Trees, header.count - tree);
    walk(nodes, roots + tree, trees, rows, leaves.data());
    for (std::size_t i = 0; i < Rows * trees; ++i) add_leaf(network, leaves[i], scores + i % Rows * header.outputs);
  }
}

void evaluate_trees(instruction_set set, network_ref network, std::int8_t const* rows, std::size_t count,
                    std::int32_t* scores) {
  std::size_t done = 0;
  // As many rows as fill walks of this many.
  auto const go_on = [&]<std::size_t Rows, std::uint32_t Trees>(auto const& walk) {
    for (; count - done >= Rows; done += Rows) {
      evaluate_tree_rows<Rows, Trees>(network, rows + done * row_bytes, scores + done * network.outputs(), walk);
    }
  };
  auto const go_on_plainly = [&]<std::size_t Rows> {
    go_on.template operator()<Rows, 1>([](auto const* nodes, auto const* root, std::uint32_t, auto const* from,
                                          std::uint32_t* leaves) { walk_tree<Rows>(nodes, *root, from, leaves); });
  };
  if (set == instruction_set::avx512_vnni) {
    go_on.template operator()<vector_walk_rows, most_vector_trees>(walk_trees_avx512);
  }
  go_on_plainly.template operator()<rows_at_once>();
  go_on_plainly.template operator()<few_rows>();
  go_on_plainly.template operator()<1>();
}

using block_code = void (*)(network_ref, std::int8_t const*, std::int32_t*);

// As many rows as fill pieces of this many; returns how many.
[[nodiscard]] std::size_t evaluate_whole(block_code evaluate_piece, std::size_t piece, network_ref network,
                                         std::int8_t const* rows, std::size_t count, std::int32_t* scores) {
  auto const whole = count / piece * piece;
  for (std::size_t i = 0; i < whole; i += piece) {
    evaluate_piece(network, rows + i * row_bytes, scores + i * network.outputs());
  }
  return whole;
}

// Whole blocks, and the rest as a block with rows of zeroes.
void evaluate_blocks(block_code evaluate_block, network_ref network, std::int8_t const* rows, std::size_t count,
                     std::int32_t* scores) {
  auto const outputs = network.outputs();
  auto const whole = evaluate_whole(evaluate_block, block_rows, network, rows, count, scores);
  count -= whole;
  if (count == 0) return;
  rows += whole * row_bytes;
  scores += whole * outputs;
  alignas(64) std::array<std::int8_t, block_rows * row_bytes> padded{};
  std::array<std::int32_t, block_rows * most_outputs> all{};
  std::memcpy(padded.data(), rows, count * row_bytes);
  evaluate_block(network, padded.data(), all.data());
  std::memcpy(scores, all.data(), count * outputs * sizeof(std::int32_t));
}

}  // namespace

std::string_view name_of(instruction_set set) {
  switch (set) {
    case instruction_set::scalar:
      return "scalar code";
    case instruction_set::avx2:
      return "AVX2";
    case instruction_set::avx512_vnni:
      return "AVX-512 VNNI";
  }
  return "?";
}

bool has(instruction_set set) {
#if defined(__x86_64__)
  switch (set) {
    case instruction_set::scalar:
      return true;
    case instruction_set::avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case instruction_set::avx512_vnni:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512vnni") != 0;
  }
#endif
  return set == instruction_set::scalar;
}

instruction_set best_instruction_set() {
  static auto const best = has(instruction_set::avx512_vnni) ? instruction_set::avx512_vnni
                           : has(instruction_set::avx2)      ? instruction_set::avx2
                                                             : instruction_set::scalar;
  return best;
}

void evaluate_by(instruction_set set, network_ref network, std::int8_t const* rows, std::size_t count,
                 std::int32_t* scores) {
  auto const outputs = network.outputs();
  if (network.header().kind == network_kind::trees) {
    evaluate_trees(set, network, rows, count, scores);
    return;
  }
  switch (set) {
    case instruction_set::scalar:
      for (std::size_t i = 0; i < count; ++i) evaluate_dense_row(network, rows + i * row_bytes, scores + i * outputs);
      return;
    case instruction_set::avx2:
      return evaluate_blocks(evaluate_block_avx2, network, rows, count, scores);
    case instruction_set::avx512_vnni: {
      auto const done = evaluate_whole(evaluate_two_blocks_vnni, 2 * block_rows, network, rows, count, scores);
      return evaluate_blocks(evaluate_block_vnni, network, rows + done * row_bytes, count - done,
                             scores + done * outputs);
    }
  }
}

void evaluate(network_ref network, std::int8_t const* rows, std::size_t count, std::int32_t* scores) {
  evaluate_by(best_instruction_set(), network, rows, count, scores);
}

}  // namespace packetwarp::model

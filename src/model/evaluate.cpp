// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "model/evaluate_blocks.h"

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

// Trees are walked for this many rows side by side: a walk waits for each of its nodes, and the walks of other rows
// fill that time.
constexpr std::size_t rows_at_once = 16;
constexpr std::size_t few_rows = 4;

// All rows take a step at a time, and a row that is at a leaf stays there. The way from a node is computed, not
// branched on: half of such branches would be predicted wrongly. A node is read as one word (integer_network.h): its
// position, its threshold from bit 16 on, and the next node from bit 32 on.
template <std::size_t Rows>
void walk_tree(std::uint64_t const* nodes, std::uint32_t root, std::int8_t const* rows,
               std::array<std::uint32_t, Rows>& leaves) {
  static_assert(std::has_single_bit(row_bytes) && std::endian::native == std::endian::little);
  std::array<std::uint32_t, Rows> at;
  at.fill(root);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i) {
      auto const node = nodes[at[i]];
      auto const position = node & 0xff;
      // A leaf compares any byte of the row.
      auto const value = rows[i * row_bytes + position % row_bytes];
      auto const threshold = static_cast<std::int16_t>(node >> 16);
      auto const next = static_cast<std::uint32_t>(node >> 32) + static_cast<std::uint32_t>(value > threshold);
      bool const is_leaf = position == leaf_position;
      at[i] = is_leaf ? at[i] : next;
      goes_on |= !is_leaf;
    }
  }
  for (std::size_t i = 0; i < Rows; ++i) leaves[i] = static_cast<std::uint32_t>(nodes[at[i]] >> 32);
}

template <std::size_t Rows>
void evaluate_tree_rows(network_ref network, std::int8_t const* rows, std::int32_t* scores) {
  auto const& header = network.header();
  auto const* const nodes = network.at<std::uint64_t>(header.nodes);
  auto const* const roots = network.at<std::uint32_t>(header.parts);
  for (std::size_t i = 0; i < Rows; ++i) {
    std::memcpy(scores + i * header.outputs, network.at<std::int32_t>(header.base),
                header.outputs * sizeof(std::int32_t));
  }
  std::array<std::uint32_t, Rows> leaves;
  for (std::uint32_t tree = 0; tree < header.count; ++tree) {
    walk_tree(nodes, roots[tree], rows, leaves);
    for (std::size_t i = 0; i < Rows; ++i) add_leaf(network, leaves[i], scores + i * header.outputs);
  }
}

// As many rows as fill walks of this many; returns how many.
template <std::size_t Rows>
[[nodiscard]] std::size_t evaluate_whole_walks(network_ref network, std::int8_t const* rows, std::size_t count,
                                               std::int32_t* scores) {
  auto const whole = count / Rows * Rows;
  for (std::size_t i = 0; i < whole; i += Rows) {
    evaluate_tree_rows<Rows>(network, rows + i * row_bytes, scores + i * network.outputs());
  }
  return whole;
}

void evaluate_trees(network_ref network, std::int8_t const* rows, std::size_t count, std::int32_t* scores) {
  std::size_t done = 0;
  auto const go_on = [&]<std::size_t Rows> {
    done +=
        evaluate_whole_walks<Rows>(network, rows + done * row_bytes, count - done, scores + done * network.outputs());
  };
  go_on.template operator()<rows_at_once>();
  go_on.template operator()<few_rows>();
  go_on.template operator()<1>();
}

// Whole blocks, and the rest as a block with rows of zeroes.
void evaluate_blocks(void (*evaluate_block)(network_ref, std::int8_t const*, std::int32_t*), network_ref network,
                     std::int8_t const* rows, std::size_t count, std::int32_t* scores) {
  auto const outputs = network.outputs();
  for (; count >= block_rows; count -= block_rows) {
    evaluate_block(network, rows, scores);
    rows += std::size_t{block_rows} * row_bytes;
    scores += std::size_t{block_rows} * outputs;
  }
  if (count == 0) return;
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
    evaluate_trees(network, rows, count, scores);
    return;
  }
  switch (set) {
    case instruction_set::scalar:
      for (std::size_t i = 0; i < count; ++i) evaluate_dense_row(network, rows + i * row_bytes, scores + i * outputs);
      return;
    case instruction_set::avx2:
      return evaluate_blocks(evaluate_block_avx2, network, rows, count, scores);
    case instruction_set::avx512_vnni:
      return evaluate_blocks(evaluate_block_vnni, network, rows, count, scores);
  }
}

void evaluate(network_ref network, std::int8_t const* rows, std::size_t count, std::int32_t* scores) {
  evaluate_by(best_instruction_set(), network, rows, count, scores);
}

}  // namespace packetwarp::model

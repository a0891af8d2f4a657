// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/sequence/pooling.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace packetwarp::model {
namespace {

// Integers that stand for themselves.
constexpr activation plain{.scale = 1, .zero_point = 0};
// A difference from 0 to 255 is kept as an int8.
constexpr std::int32_t difference_offset = 128;

// A value of a group: an output of the layer before, or the sum of one and a difference.
struct term {
  std::uint32_t value{};
  std::optional<std::uint32_t> difference{};
};

// A layer that is put together output by output.
class pool_layer {
 public:
  explicit pool_layer(std::uint32_t inputs) { matrix_.inputs = inputs; }

  // The number of a new output.
  std::uint32_t add_output(node_place const& place) {
    if (matrix_.outputs == most_width) {
      place.refuse(fmt::format("needs more than {} values at once for its windows", most_width));
    }
    matrix_.values.resize(matrix_.values.size() + matrix_.inputs);
    bias_.push_back(0);
    return matrix_.outputs++;
  }
  void add_term(std::uint32_t output, term const& from, std::int8_t factor) {
    auto* const weights = matrix_.values.data() + std::size_t{output} * matrix_.inputs;
    weights[from.value] = factor;
    if (!from.difference) return;
    weights[*from.difference] = factor;
    bias_[output] += factor * difference_offset;
  }
  void add_bias(std::uint32_t output, std::int32_t value) { bias_[output] += value; }
  [[nodiscard]] std::uint32_t outputs() const { return matrix_.outputs; }

  // Opens it. The bias is in steps of `scale`, of which the chain's values are.
  void open(dense_chain& chain, node_place const& place, double scale) {
    matrix_.kind = "max";
    matrix_.scales.assign(matrix_.outputs, 1);
    std::vector<double> bias;
    for (auto const steps : bias_) bias.push_back(steps * scale);
    chain.give_meaning({.scale = scale, .zero_point = 0});
    chain.multiply(place, std::move(matrix_));
    chain.add(place, bias);
  }

 private:
  weight_matrix matrix_{};
  std::vector<std::int32_t> bias_;
};

// Two terms become one: their maximum is the first one and the difference to the second if that is not below 0.
[[nodiscard]] term pair_up(pool_layer& layer, node_place const& place, term const& first, term const* second) {
  auto const value = layer.add_output(place);
  layer.add_term(value, first, 1);
  if (second == nullptr) return {.value = value};
  auto const difference = layer.add_output(place);
  layer.add_term(difference, *second, 1);
  layer.add_term(difference, first, -1);
  layer.add_bias(difference, -difference_offset);
  return {.value = value, .difference = difference};
}

[[nodiscard]] std::size_t largest(std::vector<std::vector<term>> const& groups) {
  std::size_t most = 0;
  for (auto const& group : groups) most = std::max(most, group.size());
  return most;
}

}  // namespace

value_groups groups_of(node_place const& place, sequence const& of, windows const& all) {
  if (std::uint64_t{of.channels} * all.count > most_width) {
    place.refuse(fmt::format("makes {} x {} values; allowed are {}", of.channels, all.count, most_width));
  }
  value_groups made;
  for (std::uint32_t channel = 0; channel < of.channels; ++channel) {
    for (std::uint32_t n = 0; n < all.count; ++n) {
      auto const within = range_of(all, n, of.positions);
      auto& group = made.emplace_back();
      for (auto i = within.begin; i < within.end; ++i) group.push_back(channel * of.positions + i);
    }
  }
  return made;
}

value_groups groups_along(row_shape const& from, row_shape const& kept) {
  value_groups made(values_of(kept));
  for (std::uint32_t value = 0; value < values_of(from); ++value) {
    auto rest = value;
    std::uint32_t group = 0;
    std::uint32_t stride = 1;
    for (auto i = from.size(); i > 0; --i) {
      group += (kept[i - 1] == 1 ? 0 : rest % from[i - 1]) * stride;
      stride *= kept[i - 1];
      rest /= from[i - 1];
    }
    made[group].push_back(value);
  }
  return made;
}

void average_by_layer(dense_chain& chain, node_place const& place, value_groups const& groups, std::uint32_t width,
                      padding_kind padding) {
  weight_matrix matrix{.inputs = chain.width(), .outputs = static_cast<std::uint32_t>(groups.size())};
  matrix.kind = "average";
  matrix.values.resize(std::size_t{matrix.inputs} * matrix.outputs);
  for (std::size_t o = 0; o < groups.size(); ++o) {
    for (auto const value : groups[o]) matrix.values[o * matrix.inputs + value] = 1;
    auto const divisor = padding == padding_kind::counts ? width : groups[o].size();
    matrix.scales.push_back(1 / static_cast<double>(divisor));
  }
  chain.multiply(place, std::move(matrix));
}

void maximum_by_layers(dense_chain& chain, node_place const& place, value_groups const& groups) {
  if (!chain.meaning())
    place.refuse("its input is not quantised: put a QuantizeLinear and a DequantizeLinear before it");
  auto const meaning = *chain.meaning();
  std::vector<std::vector<term>> left;
  for (auto const& group : groups) {
    auto& terms = left.emplace_back();
    for (auto const value : group) terms.push_back({.value = value});
  }
  while (largest(left) > 1) {
    pool_layer layer{chain.width()};
    for (auto& terms : left) {
      std::vector<term> fewer;
      for (std::size_t i = 0; i < terms.size(); i += 2) {
        fewer.push_back(pair_up(layer, place, terms[i], i + 1 < terms.size() ? &terms[i + 1] : nullptr));
      }
      terms = std::move(fewer);
    }
    layer.open(chain, place, plain.scale);
    chain.quantise(place, plain);
  }
  pool_layer last{chain.width()};
  for (auto const& terms : left) {
    auto const output = last.add_output(place);
    last.add_term(output, terms.front(), 1);
    last.add_bias(output, -meaning.zero_point);
  }
  last.open(chain, place, meaning.scale);
  chain.quantise(place, meaning);
}

}  // namespace packetwarp::model

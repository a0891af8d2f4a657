// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/dense_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "model/printable.h"

namespace packetwarp::model {
namespace {

constexpr double least_value = -128;
constexpr double most_value = 127;

[[nodiscard]] std::uint32_t rounded_up(std::uint32_t count, std::uint32_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

// ONNX's QuantizeLinear, in its own arithmetic: floats, a half to the even side.
[[nodiscard]] std::int8_t quantised_value(double real, activation as) {
  auto const steps = std::nearbyint(static_cast<float>(real) / static_cast<float>(as.scale));
  return static_cast<std::int8_t>(std::clamp(static_cast<double>(steps) + as.zero_point, least_value, most_value));
}

// A real bound, in steps of the result; beyond `otherwise` it bounds nothing.
[[nodiscard]] std::int32_t bound_in_steps(double bound, double step, double least, double most) {
  return static_cast<std::int32_t>(std::clamp(std::nearbyint(bound / step), least, most));
}

}  // namespace

bool dense_chain::open_layer::is_bounded() const { return std::isfinite(low) || std::isfinite(high); }

dense_chain::dense_chain(std::vector<std::uint32_t> positions) : positions_{std::move(positions)} {
  for (int value = -128; value <= 127; ++value)
    table_[static_cast<std::uint8_t>(value)] = static_cast<std::int8_t>(value);
}

bool dense_chain::reads_by_table() const {
  for (int value = -128; value <= 127; ++value) {
    if (table_[static_cast<std::uint8_t>(value)] != value) return true;
  }
  return false;
}

bool dense_chain::is_row() const {
  return !open_ && !reads_by_table() && meaning_ && meaning_->scale == 1 && meaning_->zero_point == 0;
}

std::uint32_t dense_chain::width() const {
  return open_ ? open_->weights.outputs : static_cast<std::uint32_t>(positions_.size());
}

dense_chain::open_layer& dense_chain::open(node_place const& place) {
  if (!open_) place.refuse("stands before the first product of a matrix; move it into the features, or leave it out");
  if (quantised_as_ && meaning_ != quantised_as_)
    place.refuse("its input was quantised by another scale or zero point");
  return *open_;
}

void dense_chain::permute(std::vector<std::uint32_t> const& order) {
  if (!open_) {
    auto const old = positions_;
    for (std::size_t i = 0; i < order.size(); ++i) positions_[i] = old[order[i]];
    return;
  }
  auto const old = *open_;
  auto const inputs = std::size_t{old.weights.inputs};
  for (std::size_t o = 0; o < order.size(); ++o) {
    auto const from = old.weights.values.begin() + static_cast<std::ptrdiff_t>(order[o] * inputs);
    std::copy_n(from, inputs, open_->weights.values.begin() + static_cast<std::ptrdiff_t>(o * inputs));
    open_->weights.scales[o] = old.weights.scales[order[o]];
    open_->bias[o] = old.bias[order[o]];
  }
}

void dense_chain::quantise(node_place const& place, activation as) {
  if (!open_) {
    if (!meaning_) place.refuse("its input has no scale: a DequantizeLinear is missing before it");
    for (auto& value : table_) value = quantised_value((value - meaning_->zero_point) * meaning_->scale, as);
  } else {
    (void)open(place);
    quantised_as_ = as;
  }
  meaning_ = as;
}

void dense_chain::multiply(node_place const& place, weight_matrix weights) {
  if (weights.inputs != width()) {
    place.refuse(fmt::format("its matrix has {} inputs, but {} {}", weights.inputs, width(),
                             open_ ? "outputs come before it" : "features are named"));
  }
  if (layers_.size() + (open_ ? 1 : 0) >= most_layers) {
    place.refuse(fmt::format("the model has more than {} layers", most_layers));
  }
  if (!meaning_ || (open_ && !quantised_as_)) {
    place.refuse(
        "its input is not quantised: put a QuantizeLinear and a DequantizeLinear before it "
        "(onnxruntime.quantization.quantize_static does)");
  }
  auto const input = *meaning_;
  if (open_) close_inner();
  auto const outputs = weights.outputs;
  open_.emplace(
      open_layer{.place = place, .weights = std::move(weights), .input = input, .bias = std::vector<double>(outputs)});
  meaning_.reset();
  quantised_as_.reset();
}

void dense_chain::add(node_place const& place, std::vector<double> const& bias) {
  auto& layer = open(place);
  if (layer.is_bounded()) place.refuse("adds after a Relu or Clip; a bias comes before it");
  for (std::size_t o = 0; o < layer.bias.size(); ++o) layer.bias[o] += bias[bias.size() == 1 ? 0 : o];
  // The range of an earlier QuantizeLinear is not the sums' any more.
  meaning_.reset();
  quantised_as_.reset();
}

void dense_chain::scale(node_place const& place, std::vector<double> const& factors) {
  auto& layer = open(place);
  if (layer.is_bounded() || meaning_) place.refuse("only a product of a matrix is scaled, before its bias and bounds");
  for (std::size_t o = 0; o < layer.bias.size(); ++o) {
    auto const factor = factors[factors.size() == 1 ? 0 : o];
    if (!std::isfinite(factor) || factor <= 0) place.refuse("only factors above 0 are allowed");
    layer.bias[o] *= factor;
    layer.weights.scales[o] *= factor;
  }
}

void dense_chain::bound(node_place const& place, double low, double high) {
  auto& layer = open(place);
  if (std::isnan(low) || std::isnan(high) || low > high) place.refuse("its bounds are no range");
  layer.low = std::clamp(layer.low, low, high);
  layer.high = std::clamp(layer.high, low, high);
}

std::vector<std::int8_t> dense_chain::placed_weights(open_layer const& layer, std::uint32_t padded_inputs,
                                                     std::uint32_t padded_outputs) const {
  std::vector<std::int8_t> placed(std::size_t{padded_inputs} * padded_outputs);
  auto const& weights = layer.weights;
  for (std::uint32_t o = 0; o < weights.outputs; ++o) {
    for (std::uint32_t i = 0; i < weights.inputs; ++i) {
      auto const column = layers_.empty() ? positions_[i] : i;
      placed[std::size_t{o} * padded_inputs + column] = weights.values[std::size_t{o} * weights.inputs + i];
    }
  }
  return placed;
}

// The bias in units of the sums, less the inputs' zero point times the weights. No sum of the layer may leave 32 bits,
// and no one with inputs that 128 was added to.
std::vector<std::int32_t> dense_chain::integer_bias(open_layer const& layer) const {
  auto const& weights = layer.weights;
  std::vector<std::int32_t> made;
  for (std::uint32_t o = 0; o < weights.outputs; ++o) {
    std::int64_t sum = 0;
    std::int64_t magnitude = 0;
    for (std::uint32_t i = 0; i < weights.inputs; ++i) {
      auto const weight = weights.values[std::size_t{o} * weights.inputs + i];
      sum += weight;
      magnitude += std::abs(weight);
    }
    auto const bias = std::nearbyint(layer.bias[o] / (layer.input.scale * weights.scales[o]));
    auto const room = static_cast<double>((std::int64_t{1} << 31) - 1 - 512 * magnitude);
    if (!(std::abs(bias) <= room))
      layer.place.refuse(fmt::format("the bias of output {} is too large for its weights", o));
    made.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(bias) - layer.input.zero_point * sum));
  }
  return made;
}

dense_layer dense_chain::write_sums(open_layer const& layer) {
  auto const& weights = layer.weights;
  dense_layer made;
  made.inputs = weights.inputs;
  made.outputs = weights.outputs;
  made.padded_inputs = layers_.empty() ? row_bytes : rounded_up(weights.inputs, input_multiple);
  made.padded_outputs = rounded_up(weights.outputs, output_multiple);
  auto const placed = placed_weights(layer, made.padded_inputs, made.padded_outputs);
  auto bias = integer_bias(layer);
  bias.resize(made.padded_outputs);
  auto unsigned_bias = bias;
  for (std::uint32_t o = 0; o < made.padded_outputs; ++o) {
    auto const row = placed.begin() + std::ptrdiff_t{o} * made.padded_inputs;
    unsigned_bias[o] -= 128 * std::accumulate(row, row + made.padded_inputs, std::int32_t{});
  }
  made.used_inputs = used_inputs_of(placed, made.padded_inputs);
  made.weights = writer_.add(placed);
  made.bias = writer_.add(bias);
  made.unsigned_bias = writer_.add(unsigned_bias);
  facts_.push_back({.name = printable(layer.place.name()),
                    .kind = std::string{weights.kind},
                    .inputs = made.inputs,
                    .outputs = made.outputs,
                    .operations = std::uint64_t{made.inputs} * made.outputs,
                    .bytes = placed.size() + 2 * sizeof(std::int32_t) * bias.size()});
  return made;
}

// A layer whose results are int8.
void dense_chain::close_inner() {
  auto const& layer = *open_;
  auto made = write_sums(layer);
  std::vector<fixed_factor> factors(made.padded_outputs, fixed_factor{.multiplier = 0, .shift = 1});
  for (std::uint32_t o = 0; o < made.outputs; ++o) {
    auto const factor = factor_of(layer.input.scale * layer.weights.scales[o] / quantised_as_->scale);
    if (!factor) layer.place.refuse(fmt::format("the scales of output {} are too far apart", o));
    factors[o] = *factor;
  }
  auto const zero_point = quantised_as_->zero_point;
  made.scales = writer_.add(factors);
  made.range = {
      .low = bound_in_steps(layer.low, quantised_as_->scale, least_value - zero_point, most_value - zero_point),
      .high = bound_in_steps(layer.high, quantised_as_->scale, least_value - zero_point, most_value - zero_point),
      .zero_point = zero_point};
  facts_.back().bytes += factors.size() * sizeof(fixed_factor);
  layers_.push_back(made);
}

// The layer whose sums are the scores. Outputs of several scales get the largest one's, so that they can be compared.
void dense_chain::close_last() {
  auto const& layer = *open_;
  auto const& scales = layer.weights.scales;
  auto made = write_sums(layer);
  auto const largest = *std::max_element(scales.begin(), scales.end());
  unit_ = layer.input.scale * largest;
  if (layer.is_bounded() || scales != std::vector<double>(scales.size(), largest)) {
    std::vector<fixed_factor> factors(made.padded_outputs, fixed_factor{.multiplier = 0, .shift = 1});
    for (std::uint32_t o = 0; o < made.outputs; ++o) {
      auto const factor = factor_of(scales[o] / largest);
      if (!factor) layer.place.refuse(fmt::format("the scales of output {} are too far apart", o));
      factors[o] = *factor;
    }
    made.scales = writer_.add(factors);
    constexpr double least = std::numeric_limits<std::int32_t>::min();
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    made.range = {.low = bound_in_steps(layer.low, unit_, least, most),
                  .high = bound_in_steps(layer.high, unit_, least, most),
                  .zero_point = 0};
    facts_.back().bytes += factors.size() * sizeof(fixed_factor);
  }
  layers_.push_back(made);
}

integer_network dense_chain::finish(std::string const& path) {
  if (!open_) throw usage_error(fmt::format("{}: has neither a layer nor a tree", path));
  if (open_->weights.outputs > most_outputs) {
    open_->place.refuse(fmt::format("has {} scores; allowed are {}", open_->weights.outputs, most_outputs));
  }
  close_last();
  auto& header = writer_.header;
  header.kind = network_kind::dense;
  header.count = static_cast<std::uint32_t>(layers_.size());
  header.outputs = layers_.back().outputs;
  if (reads_by_table()) header.input_table = writer_.add(std::span<std::int8_t const>{table_});
  header.parts = writer_.add(layers_);
  return writer_.take();
}

}  // namespace packetwarp::model

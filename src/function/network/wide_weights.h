// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/network/wide_layout.h"
#include "model/integer_network.h"

namespace packetwarp::network_parts {

// The pieces of a network's weights in the order in which a block needs them, layer by layer, and from the first layer
// on again: the next one to be copied. Pieces do not depend on rows, so that copies run ahead over layers and tiles.
class weight_stream {
 public:
  HOST_DEVICE_COPIED explicit weight_stream(model::network_ref network) : network_{network} { enter(0); }

  // Begins this thread's part of the copy of the next piece; weights beyond the layer's are not copied, and the place
  // keeps what it has.
  template <class Machine>
  HOST_DEVICE_COPIED void copy_next(Machine const& machine, std::byte* to) {
    constexpr unsigned unit = 16;  // bytes
    constexpr unsigned units_of_row = piece_inputs / unit;
    constexpr unsigned units = piece_outputs * units_of_row;
    static_assert(units % wide_threads == 0);
    UNROLLED
    for (unsigned i = 0; i < units / wide_threads; ++i) {
      auto const number = i * wide_threads + machine.thread();
      auto const row = number / units_of_row;
      auto const at = number % units_of_row * unit;
      if (output_ + row >= outputs_ || input_ + at >= inputs_) continue;
      machine.copy_16(to + row * piece_stride + at, weights_ + std::size_t{output_ + row} * inputs_ + input_ + at);
    }
    advance();
  }

 private:
  HOST_DEVICE_COPIED void enter(std::uint32_t number) {
    auto const& layer = network_.layer(number);
    number_ = number;
    inputs_ = layer.padded_inputs;
    outputs_ = layer.padded_outputs;
    weights_ = network_.at<std::int8_t>(layer.weights);
  }
  HOST_DEVICE_COPIED void advance() {
    input_ += piece_inputs;
    if (input_ < inputs_) return;
    input_ = 0;
    output_ += piece_outputs;
    if (output_ < outputs_) return;
    output_ = 0;
    enter(number_ + 1 < network_.header().count ? number_ + 1 : 0);
  }

  model::network_ref network_;
  std::int8_t const* weights_{};
  std::uint32_t number_{};  // of the layer
  std::uint32_t inputs_{};  // of the layer, padded
  std::uint32_t outputs_{};
  std::uint32_t input_{};  // where the next piece begins
  std::uint32_t output_{};
};

}  // namespace packetwarp::network_parts

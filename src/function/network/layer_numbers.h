// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/network/room.h"
#include "function/network/words.h"
#include "model/fixed_point.h"
#include "model/integer_network.h"

// The numbers of a layer that a lane uses for some of its outputs. Each of these objects reads all of them when it is
// made, so that the reads are on their way together.
namespace packetwarp::network_parts {

inline constexpr unsigned block_inputs = 64;  // a lane has a quarter of a block, or of the 32 inputs after the last one
inline constexpr unsigned most_blocks = most_width_by_warp / block_inputs;
inline constexpr unsigned block_words = 4;

// Results of the sums of `Count` outputs from `output` on, an even number. A layer without scales has its sums as
// results: the factor 2 / 2 and all numbers in the range leave a sum as it is, without a branch.
template <unsigned Count>
class rescaling {
 public:
  rescaling() = default;
  HOST_DEVICE_COPIED rescaling(model::network_ref network, model::dense_layer const& layer, unsigned output) {
    bool const has_scales = layer.scales != 0;
    range_ = has_scales ? layer.range
                        : model::result_range{std::numeric_limits<std::int32_t>::min(),
                                              std::numeric_limits<std::int32_t>::max(), 0};
    UNROLLED
    for (unsigned i = 0; i < Count; i += 2) {
      auto two = four_words{{2, 1, 2, 1}};
      if (has_scales) two = read_words<four_words>(network.at<model::fixed_factor>(layer.scales) + output + i);
      factors_[i] = {static_cast<std::int32_t>(two.of[0]), static_cast<std::int32_t>(two.of[1])};
      factors_[i + 1] = {static_cast<std::int32_t>(two.of[2]), static_cast<std::int32_t>(two.of[3])};
    }
  }
  // number: of the output, from 0 on.
  [[nodiscard]] HOST_DEVICE_COPIED std::int32_t operator()(std::int32_t sum, unsigned number) const {
    return model::rescaled(sum, factors_[number], range_);
  }

 private:
  model::fixed_factor factors_[Count];
  model::result_range range_;
};

// The lane's quarters of the weights of `Count` outputs, for a layer with `Blocks` blocks of inputs. 32 inputs after
// the last whole block are a block whose second half has the weight 0.
template <unsigned Count, unsigned Blocks>
struct lane_weights {
  lane_weights() = default;
  HOST_DEVICE_COPIED lane_weights(unsigned padded_inputs, std::int8_t const* const (&rows)[Count], unsigned quarter) {
    UNROLLED
    for (unsigned block = 0; block < Blocks; ++block) {
      bool const is_whole = block + 1 < Blocks || padded_inputs == Blocks * block_inputs;
      UNROLLED
      for (unsigned i = 0; i < Count; ++i) {
        words[block][i] = is_whole ? read_words<four_words>(rows[i] + block * block_inputs + quarter * 16)
                                   : half_block(rows[i] + block * block_inputs + quarter * 8);
      }
    }
  }

  four_words words[Blocks][Count];

 private:
  [[nodiscard]] HOST_DEVICE_COPIED static four_words half_block(std::int8_t const* weights) {
    auto const half = read_words<two_words>(weights);
    return {{half.of[0], half.of[1], 0, 0}};
  }
};

// All that a lane reads about `Count` multiplications of 8 outputs each: the outputs from `first` on have the lane's
// sums, and `rows` are the outputs whose weights it has. All of it is on its way before the first of it is used.
template <unsigned Count, unsigned Blocks>
struct step_numbers {
  using biases = std::conditional_t<Count == 1, two_words, four_words>;

  step_numbers() = default;
  HOST_DEVICE_COPIED step_numbers(model::network_ref network, model::dense_layer const& layer, unsigned first,
                                  unsigned const (&rows)[Count], unsigned quarter)
      : bias{read_words<biases>(network.at<std::int32_t>(layer.bias) + first)}, rescale{network, layer, first} {
    std::int8_t const* of_rows[Count];
    UNROLLED
    for (unsigned i = 0; i < Count; ++i) {
      of_rows[i] = network.at<std::int8_t>(layer.weights) + rows[i] * layer.padded_inputs;
    }
    weights = lane_weights<Count, Blocks>{layer.padded_inputs, of_rows, quarter};
  }

  biases bias;
  rescaling<2 * Count> rescale;
  lane_weights<Count, Blocks> weights;
};

}  // namespace packetwarp::network_parts

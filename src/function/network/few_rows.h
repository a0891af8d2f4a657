// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/group.h"
#include "function/network/room.h"
#include "function/network/words.h"
#include "model/fixed_point.h"
#include "model/integer_network.h"

// A dense network on one row or two, as in most groups at a low rate: a lane has outputs of its own. A matrix unit
// would multiply 16 rows, and a lane would make the results of eight outputs, one after the other.
namespace packetwarp::network_parts {

inline constexpr unsigned few_rows = 2;

// Adds the products of four pairs of 8-bit integers.
[[nodiscard]] HOST_DEVICE inline std::int32_t dot4(std::uint32_t inputs, std::uint32_t weights, std::int32_t sum) {
#if defined(__CUDA_ARCH__)
  return __dp4a(static_cast<std::int32_t>(inputs), static_cast<std::int32_t>(weights), sum);
#else
  for (unsigned i = 0; i < 32; i += 8) {
    sum += static_cast<std::int8_t>(inputs >> i & 0xff) * static_cast<std::int8_t>(weights >> i & 0xff);
  }
  return sum;
#endif
}

// The numbers of one output of a layer with up to `Quads` x 16 inputs. All of them are on their way before one is used.
template <unsigned Quads>
class output_numbers {
 public:
  HOST_DEVICE output_numbers(model::network_ref network, model::dense_layer const& layer, unsigned output)
      : bias_{network.at<std::int32_t>(layer.bias)[output]} {
    auto const* const weights = network.at<std::int8_t>(layer.weights) + output * layer.padded_inputs;
    UNROLLED
    for (unsigned i = 0; i < Quads; ++i) {
      bool const is_there = i * sizeof(four_words) < layer.padded_inputs;
      weights_[i] = is_there ? read_words<four_words>(weights + i * sizeof(four_words)) : four_words{};
    }
    if (layer.scales != 0) {
      factor_ = network.at<model::fixed_factor>(layer.scales)[output];
      range_ = layer.range;
    }
  }

  // The output's result for a row. Inputs that the layer does not have may be anything.
  [[nodiscard]] HOST_DEVICE std::int32_t operator()(std::uint32_t const* inputs) const {
    auto sum = bias_;
    UNROLLED
    for (unsigned i = 0; i < Quads; ++i) {
      auto const four = read_words<four_words>(inputs + 4 * i);
      UNROLLED
      for (unsigned k = 0; k < 4; ++k) sum = dot4(four.of[k], weights_[i].of[k], sum);
    }
    return model::rescaled(sum, factor_, range_);
  }

 private:
  four_words weights_[Quads];
  std::int32_t bias_;
  // As they are for a layer without scales, whose sums are its results.
  model::fixed_factor factor_{2, 1};
  model::result_range range_{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), 0};
};

class few_rows_evaluation {
 public:
  HOST_DEVICE few_rows_evaluation(model::network_ref network, network_room& room, unsigned lane)
      : network_{network}, room_{room}, lane_{lane} {}

  // All lanes call it. The scores are there for a lane's next sync().
  HOST_DEVICE_COPIED void evaluate(auto const& group) const {
    read_rows();
    group.sync();
    auto const last = network_.header().count - 1;
    NOT_UNROLLED
    for (std::uint32_t n = 0; n < last; ++n) {
      auto const layer = network_.layer(n);
      for_results(layer, n, group.packets(), layer.padded_outputs,
                  [&](unsigned row, unsigned output, std::int32_t result) {
                    bytes_of(n + 1, row)[output] = static_cast<std::int8_t>(result);
                  });
      group.sync();
    }
    auto const layer = network_.layer(last);
    for_results(layer, last, group.packets(), most_scores_by_group,
                [&](unsigned row, unsigned output, std::int32_t result) {
                  auto const score = output < layer.outputs ? result : no_score;
                  room_.words[place_of_word(row, output)] = static_cast<std::uint32_t>(score);
                });
  }

 private:
  static constexpr unsigned most_quads = most_width_by_warp / sizeof(four_words);

  // The inputs of a layer, in the middle of the room: those of odd layers lie after those of even ones.
  [[nodiscard]] HOST_DEVICE_COPIED std::uint32_t* words_of(std::uint32_t layer, unsigned row) const {
    constexpr unsigned words = most_width_by_warp / sizeof(std::uint32_t);
    return room_.words + tile_rows * row_words + (layer % 2 * few_rows + row) * words;
  }
  [[nodiscard]] HOST_DEVICE_COPIED std::int8_t* bytes_of(std::uint32_t layer, unsigned row) const {
    return reinterpret_cast<std::int8_t*>(words_of(layer, row));
  }

  HOST_DEVICE_COPIED void read_rows() const {
    static_assert(few_rows * row_words == joint_packets, "a word for each lane");
    auto const row = lane_ / row_words;
    auto const number = lane_ % row_words;
    auto const table = network_.header().input_table;
    auto word = room_.words[place_of_word(row, number)];
    if (table != 0) word = by_table(network_.at<std::uint8_t>(table), word);
    words_of(0, row)[number] = word;
  }

  // Calls with a layer's results of rows, of its first outputs.
  HOST_DEVICE_COPIED void for_results(model::dense_layer const& layer, std::uint32_t number, unsigned rows,
                                      unsigned outputs, auto&& take) const {
    if (layer.padded_inputs <= most_width_by_warp / 2) {
      make_results<most_quads / 2>(layer, number, rows, outputs, take);
    } else {
      make_results<most_quads>(layer, number, rows, outputs, take);
    }
  }
  // A lane has two outputs at a time, of which the second one may be of no use.
  template <unsigned Quads>
  HOST_DEVICE_COPIED void make_results(model::dense_layer const& layer, std::uint32_t number, unsigned rows,
                                       unsigned outputs, auto&& take) const {
    NOT_UNROLLED
    for (auto output = lane_; output < outputs; output += 2 * joint_packets) {
      auto const second = output + joint_packets;
      bool const has_second = second < outputs;
      output_numbers<Quads> const first_numbers{network_, layer, output};
      output_numbers<Quads> const second_numbers{network_, layer, has_second ? second : output};
      NOT_UNROLLED
      for (unsigned row = 0; row < rows; ++row) {
        take(row, output, first_numbers(words_of(number, row)));
        if (has_second) take(row, second, second_numbers(words_of(number, row)));
      }
    }
  }

  model::network_ref network_;
  network_room& room_;
  unsigned lane_;
};

}  // namespace packetwarp::network_parts

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/group.h"
#include "function/network/layer_numbers.h"
#include "function/network/room.h"
#include "function/network/words.h"
#include "model/integer_network.h"

namespace packetwarp::network_parts {

// The inputs of a layer that a lane has: those of rows g and g + 8 of a tile, g = lane / 4, in words of four inputs.
// The lane's quarter of a block is contiguous, w = lane % 4 says which quarter, so that a lane reads the 16 bytes of
// weights for it by one instruction. A matrix unit has another order of inputs; but the order of a sum's products is
// free as long as inputs and weights have the same.
struct tile_inputs {
  std::uint32_t words[most_blocks * block_words][2];
};

// A tile of 16 packets' rows and its evaluation by a lane of a warp. Lanes exchange nothing between layers: the results
// that a matrix unit gives a lane are the inputs that the lane has in the next layer, because each lane chooses the
// outputs whose weights it reads accordingly. Results wait in the room, in places of the lane's own, until they all are
// made, because an array in registers cannot be indexed by a loop.
template <class Unit>
class dense_tile {
 public:
  HOST_DEVICE dense_tile(Unit const& unit, model::network_ref network, network_room& room, unsigned tile, unsigned lane)
      : unit_{unit}, network_{network}, room_{room}, tile_{tile}, lane_{lane} {}

  // All lanes call it. The scores are there for a lane's next sync().
  HOST_DEVICE_COPIED void evaluate(auto const& group) const {
    if (group.packets() <= tile_ * tile_rows + half_rows) {
      evaluate_halves<1>(group);
    } else {
      evaluate_halves<2>(group);
    }
  }

 private:
  static constexpr unsigned half_rows = tile_rows / 2;
  // Words of results that a lane makes side by side: so many that their numbers have room in registers.
  template <unsigned Blocks>
  static constexpr unsigned words_at_once = Blocks == 1 ? 2 : 1;
  static_assert(model::input_multiple / tile_rows % words_at_once<1> == 0);

  // Halves: 1 if the tile has no packets in its rows 8 to 15, whose results may be anything then.
  template <unsigned Halves>
  HOST_DEVICE_COPIED void evaluate_halves(auto const& group) const {
    tile_inputs inputs{};
    read_rows(inputs);
    group.sync();  // from here on the rows' place has the results of layers
    auto const last = network_.header().count - 1;
    NOT_UNROLLED
    for (std::uint32_t n = 0; n < last; ++n) {
      auto const words = network_.layer(n + 1).padded_inputs / tile_rows;
      auto const layer = network_.layer(n);
      if (layer.padded_inputs <= block_inputs) {
        make_results<Halves, 1>(layer, inputs, words);
      } else {
        make_results<Halves, most_blocks>(layer, inputs, words);
      }
      read_results<Halves>(inputs, words);
    }
    group.sync();  // and from here on the scores
    auto const layer = network_.layer(last);
    if (layer.padded_inputs <= block_inputs) {
      write_scores<Halves, 1>(layer, inputs);
    } else {
      write_scores<Halves, most_blocks>(layer, inputs);
    }
  }

  [[nodiscard]] HOST_DEVICE_COPIED unsigned row() const { return lane_ / 4; }
  [[nodiscard]] HOST_DEVICE_COPIED unsigned quarter() const { return lane_ % 4; }
  // The lane's place for word `number` of the next layer's inputs, in row() or 8 rows below it.
  [[nodiscard]] HOST_DEVICE_COPIED std::uint32_t& result(unsigned number, unsigned half) const {
    return room_.words[tile_ * tile_rows * row_words + (number * joint_packets + lane_) * 2 + half];
  }

  HOST_DEVICE_COPIED void read_rows(tile_inputs& inputs) const {
    auto const table = network_.header().input_table;
    UNROLLED
    for (unsigned number = 0; number < block_words; ++number) {
      UNROLLED
      for (unsigned half = 0; half < 2; ++half) {
        auto const packet = tile_ * tile_rows + half * half_rows + row();
        auto word = room_.words[place_of_word(packet, quarter() * block_words + number)];
        if (table != 0) word = by_table(network_.at<std::uint8_t>(table), word);
        inputs.words[number][half] = word;
      }
    }
  }

  // words: of the next layer's inputs per lane and row. Some of them are beyond this layer's padded outputs, and get
  // any results, since the next layer has no weights but 0 for them.
  template <unsigned Halves, unsigned Blocks>
  HOST_DEVICE_COPIED void make_results(model::dense_layer const& layer, tile_inputs const& inputs,
                                       unsigned words) const {
    constexpr auto at_once = words_at_once<Blocks>;
    NOT_UNROLLED
    for (unsigned number = 0; number < words; number += at_once) {
      step_numbers<2, Blocks> numbers[at_once];
      UNROLLED
      for (unsigned n = 0; n < at_once; ++n) numbers[n] = numbers_of_word<Blocks>(layer, number + n, words);
      std::int32_t sums[at_once][2][4];
      UNROLLED
      for (unsigned n = 0; n < at_once; ++n) sum_up(inputs, numbers[n], sums[n]);
      UNROLLED
      for (unsigned n = 0; n < at_once; ++n) {
        UNROLLED
        for (unsigned half = 0; half < Halves; ++half) {
          result(number + n, half) = rescaled_word(numbers[n].rescale, sums[n], half);
        }
      }
    }
  }
  template <unsigned Blocks>
  [[nodiscard]] HOST_DEVICE_COPIED step_numbers<2, Blocks> numbers_of_word(model::dense_layer const& layer,
                                                                           unsigned number, unsigned words) const {
    auto const block = number / block_words;
    auto const lane_bytes = words - block * block_words >= block_words ? block_words * 4 : block_words * 2;
    auto const first = block * block_inputs + number % block_words * 4;
    auto const outputs = bounded(first + quarter() * lane_bytes, layer.padded_outputs - 4);
    // Two multiplications give the lane outputs + 0 and + 1, + 2 and + 3 if the lanes g have these outputs' weights:
    auto const chosen = first + row() / 2 * lane_bytes + row() % 2;
    unsigned const rows[2]{bounded(chosen, layer.padded_outputs - 1), bounded(chosen + 2, layer.padded_outputs - 1)};
    return {network_, layer, outputs, rows, quarter()};
  }
  [[nodiscard]] HOST_DEVICE_COPIED static std::uint32_t rescaled_word(rescaling<4> const& rescale,
                                                                      std::int32_t const (&sums)[2][4], unsigned half) {
    std::uint32_t word = 0;
    UNROLLED
    for (unsigned i = 0; i < 4; ++i) {
      auto const value = rescale(sums[i / 2][half * 2 + i % 2], i);
      word |= (static_cast<std::uint32_t>(value) & 0xff) << i * 8;
    }
    return word;
  }
  template <unsigned Halves>
  HOST_DEVICE_COPIED void read_results(tile_inputs& inputs, unsigned words) const {
    UNROLLED
    for (unsigned number = 0; number < most_blocks * block_words; ++number) {
      if (number >= words) continue;
      UNROLLED
      for (unsigned half = 0; half < Halves; ++half) inputs.words[number][half] = result(number, half);
    }
  }

  // The last layer has up to 8 outputs: one multiplication, and the lane has the outputs 2w and 2w + 1.
  template <unsigned Halves, unsigned Blocks>
  HOST_DEVICE_COPIED void write_scores(model::dense_layer const& layer, tile_inputs const& inputs) const {
    auto const first = quarter() * 2;
    unsigned const rows[1]{row()};
    step_numbers<1, Blocks> const numbers{network_, layer, first, rows, quarter()};
    std::int32_t sums[1][4];
    sum_up(inputs, numbers, sums);
    UNROLLED
    for (unsigned i = 0; i < 2 * Halves; ++i) {
      auto const packet = tile_ * tile_rows + i / 2 * half_rows + row();
      auto const output = first + i % 2;
      auto const score = output < layer.outputs ? numbers.rescale(sums[0][i], i % 2) : no_score;
      room_.words[place_of_word(packet, output)] = static_cast<std::uint32_t>(score);
    }
  }

  // The sums of `Count` multiplications: the biases, and the products of all inputs.
  template <unsigned Count, unsigned Blocks>
  HOST_DEVICE_COPIED void sum_up(tile_inputs const& inputs, step_numbers<Count, Blocks> const& numbers,
                                 std::int32_t (&sums)[Count][4]) const {
    UNROLLED
    for (unsigned i = 0; i < Count * 4; ++i) {
      sums[i / 4][i % 4] = static_cast<std::int32_t>(numbers.bias.of[i / 4 * 2 + i % 2]);
    }
    UNROLLED
    for (unsigned block = 0; block < Blocks; ++block) {
      UNROLLED
      for (unsigned word = 0; word < block_words; word += 2) {
        auto const& low = inputs.words[block * block_words + word];
        auto const& high = inputs.words[block * block_words + word + 1];
        UNROLLED
        for (unsigned i = 0; i < Count; ++i) {
          auto const& of_block = numbers.weights.words[block][i];
          unit_.multiply_add(sums[i], low, high, of_block.of[word], of_block.of[word + 1]);
        }
      }
    }
  }
  [[nodiscard]] HOST_DEVICE_COPIED static unsigned bounded(unsigned value, unsigned most) {
    return value < most ? value : most;
  }

  Unit const& unit_;
  model::network_ref network_;
  network_room& room_;
  unsigned tile_;
  unsigned lane_;
};

}  // namespace packetwarp::network_parts

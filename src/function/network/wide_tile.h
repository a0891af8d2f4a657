// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/network/wide_layout.h"
#include "function/network/wide_weights.h"
#include "function/network/words.h"
#include "model/fixed_point.h"
#include "model/integer_network.h"

namespace packetwarp::network_parts {

// A dense network on tiles of `Rows` rows, by a block of wide_threads threads. A tile's rows stay in shared memory from
// the features to the scores: a layer's results, int8, are made from the place of its inputs into another place, and
// both then change their roles. The scores are those of model::evaluate(), bit for bit.
//
// Machine is a thread of the block (wide_machine.h; tests have one that a CPU plays):
//
//   thread()                  its number in the block
//   sync()                    of all threads of the block
//   copy_16(to, from)         begins a copy of 16 bytes to shared memory; close() ends a group of such copies
//   await_copies<Pending>()   until only the last `Pending` groups of this thread are under way
//   load_matrices(to, row)    of a warp: ldmatrix.x4 of 8 x 16 bytes each; lane i names row i % 8 of matrix i / 8
//   multiply_add(...)         of a warp, as matrix_unit.h has it
template <class Machine, unsigned Rows>
class wide_tile {
 public:
  // shared: wide_bytes() of the network and Rows, aligned to 16.
  HOST_DEVICE wide_tile(Machine const& machine, model::network_ref network, std::uint32_t width, std::byte* shared)
      : machine_{machine},
        network_{network},
        weights_{network},
        shared_{shared},
        stride_{wide_stride(width)},
        warp_row_{machine.thread() / 32 / warps_by_output * tile_rows_of_warp},
        warp_output_{machine.thread() / 32 % warps_by_output * outputs_of_warp},
        lane_{machine.thread() % 32} {}

  // The block evaluates its share of the rows, which is each `blocks`th tile from tile `block` on. rows: row_bytes per
  // row, aligned to 16. scores: the network's outputs per row.
  HOST_DEVICE void evaluate(std::int8_t const* rows, std::uint32_t count, std::int32_t* scores, unsigned block,
                            unsigned blocks) {
    UNROLLED
    for (unsigned n = 0; n + 1 < pieces; ++n) copy_ahead(n);
    for (std::uint32_t first = block * Rows; first < count; first += blocks * Rows) {
      machine_.sync();  // after the last tile's scores
      here_ = 0;
      read_rows(rows, first, count);
      auto const last = network_.header().count - 1;
      NOT_UNROLLED
      for (std::uint32_t n = 0; n < last; ++n) {
        auto const layer = network_.layer(n);
        for_outputs(layer, [&](std::uint32_t output, auto const& sums) { write_results(layer, output, sums); });
        here_ ^= 1;
      }
      auto const layer = network_.layer(last);
      for_outputs(layer, [&](std::uint32_t output, auto const& sums) {
        write_scores(layer, output, sums, scores + std::size_t{first} * layer.outputs, count - first);
      });
    }
    machine_.template await_copies<0>();
  }

 private:
  static constexpr unsigned warps = wide_threads / 32;
  static constexpr unsigned tile_rows_of_warp = 32;  // two tiles of a matrix unit
  static constexpr unsigned warps_by_output = warps / (Rows / tile_rows_of_warp);
  static constexpr unsigned outputs_of_warp = piece_outputs / warps_by_output;
  static constexpr unsigned pairs = outputs_of_warp / 16;  // of tiles of 8 outputs
  static_assert(Rows % tile_rows_of_warp == 0 && outputs_of_warp % 16 == 0);
  struct warp_sums {
    std::int32_t of[2][2 * pairs][4];  // by tile of rows, tile of outputs
  };

  [[nodiscard]] HOST_DEVICE_COPIED std::byte* place(unsigned number) const {
    return shared_ + std::size_t{number} * Rows * stride_;
  }
  [[nodiscard]] HOST_DEVICE_COPIED std::byte* piece(unsigned number) const { return place(2) + number * piece_bytes; }
  HOST_DEVICE_COPIED void copy_ahead(unsigned to) {
    weights_.copy_next(machine_, piece(to));
    machine_.close();
  }

  // Rows beyond the last one are zeroes.
  HOST_DEVICE_COPIED void read_rows(std::int8_t const* rows, std::uint32_t first, std::uint32_t count) const {
    constexpr unsigned parts = model::row_bytes / 16;
    auto const table = network_.header().input_table;
    for (auto number = machine_.thread(); number < Rows * parts; number += wide_threads) {
      auto const row = number / parts;
      four_words words{};
      if (first + row < count) {
        words = read_words<four_words>(rows + (std::size_t{first} + row) * model::row_bytes + number % parts * 16);
      }
      if (table != 0) {
        UNROLLED
        for (auto& word : words.of) word = by_table(network_.at<std::uint8_t>(table), word);
      }
      *reinterpret_cast<four_words*>(place(here_) + row * stride_ + number % parts * 16) = words;
    }
  }
  [[nodiscard]] HOST_DEVICE_COPIED static std::uint32_t by_table(std::uint8_t const* table, std::uint32_t word) {
    return table[word & 0xff] | std::uint32_t{table[word >> 8 & 0xff]} << 8 |
           std::uint32_t{table[word >> 16 & 0xff]} << 16 | std::uint32_t{table[word >> 24]} << 24;
  }

  // Calls use(first output, sums without bias) for each piece_outputs of the layer.
  HOST_DEVICE_COPIED void for_outputs(model::dense_layer const& layer, auto const& use) {
    NOT_UNROLLED
    for (std::uint32_t output = 0; output < layer.padded_outputs; output += piece_outputs) {
      warp_sums sums{};
      // Outputs of this warp from here on.
      auto const begin = output + warp_output_;
      auto const outputs = begin < layer.padded_outputs ? layer.padded_outputs - begin : 0;
      NOT_UNROLLED
      for (std::uint32_t input = 0; input < layer.padded_inputs; input += piece_inputs) {
        machine_.template await_copies<pieces - 2>();
        // All threads' parts of the piece are there, and all have used the piece before it, whose place is free.
        machine_.sync();
        copy_ahead((piece_ + pieces - 1) % pieces);
        auto const steps = layer.padded_inputs - input >= piece_inputs ? 2U : 1U;
        UNROLLED
        for (unsigned step = 0; step < 2; ++step) {
          if (step < steps) add_products(input, step * model::input_multiple, outputs, sums);
        }
        piece_ = (piece_ + 1) % pieces;
      }
      use(begin, sums);
    }
  }

  // The products of 32 inputs: those from input + within on, the weights from `within` on in the piece.
  HOST_DEVICE_COPIED void add_products(std::uint32_t input, unsigned within, std::uint32_t outputs,
                                       warp_sums& sums) const {
    std::uint32_t inputs[2][4];
    UNROLLED
    for (unsigned tile = 0; tile < 2; ++tile) {
      auto const row = warp_row_ + tile * 16 + lane_ % 16;
      machine_.load_matrices(inputs[tile], place(here_) + row * stride_ + input + within + lane_ / 16 * 16);
    }
    UNROLLED
    for (unsigned pair = 0; pair < pairs; ++pair) {
      if (pair * 16 >= outputs) continue;
      std::uint32_t weights[4];
      auto const row = warp_output_ + pair * 16 + lane_ / 16 * 8 + lane_ % 8;
      machine_.load_matrices(weights, piece(piece_) + row * piece_stride + within + lane_ / 8 % 2 * 16);
      UNROLLED
      for (unsigned tile = 0; tile < 2; ++tile) {
        std::uint32_t const low[2]{inputs[tile][0], inputs[tile][1]};
        std::uint32_t const high[2]{inputs[tile][2], inputs[tile][3]};
        machine_.multiply_add(sums.of[tile][2 * pair], low, high, weights[0], weights[1]);
        machine_.multiply_add(sums.of[tile][2 * pair + 1], low, high, weights[2], weights[3]);
      }
    }
  }

  // Calls use(row of the tile, output, its two results) for the results that this lane has; begin: the warp's first
  // output.
  HOST_DEVICE_COPIED void for_results(model::dense_layer const& layer, std::uint32_t begin, warp_sums const& sums,
                                      auto const& use) const {
    UNROLLED
    for (unsigned n = 0; n < 2 * pairs; ++n) {
      auto const output = begin + n * 8 + lane_ % 4 * 2;
      if (output >= layer.padded_outputs) continue;
      auto const bias = read_words<two_words>(network_.at<std::int32_t>(layer.bias) + output);
      four_words factors{};
      if (layer.scales != 0) {
        factors = read_words<four_words>(network_.at<model::fixed_factor>(layer.scales) + output);
      }
      UNROLLED
      for (unsigned i = 0; i < 4; ++i) {
        std::int32_t results[2];
        UNROLLED
        for (unsigned j = 0; j < 2; ++j) {
          results[j] = sums.of[i / 2][n][i % 2 * 2 + j] + static_cast<std::int32_t>(bias.of[j]);
          if (layer.scales == 0) continue;
          model::fixed_factor const factor{static_cast<std::int32_t>(factors.of[2 * j]),
                                           static_cast<std::int32_t>(factors.of[2 * j + 1])};
          results[j] = model::rescaled(results[j], factor, layer.range);
        }
        use(warp_row_ + i * 8 + lane_ / 4, output, results);
      }
    }
  }

  HOST_DEVICE_COPIED void write_results(model::dense_layer const& layer, std::uint32_t begin,
                                        warp_sums const& sums) const {
    auto* const to = place(here_ ^ 1);
    for_results(layer, begin, sums, [&](unsigned row, std::uint32_t output, std::int32_t const(&results)[2]) {
      auto const both = (results[0] & 0xff) | (results[1] & 0xff) << 8;
      *reinterpret_cast<std::uint16_t*>(to + row * stride_ + output) = static_cast<std::uint16_t>(both);
    });
  }
  // to: of the tile's first row; rows: from there on.
  HOST_DEVICE_COPIED void write_scores(model::dense_layer const& layer, std::uint32_t begin, warp_sums const& sums,
                                       std::int32_t* to, std::uint32_t rows) const {
    for_results(layer, begin, sums, [&](unsigned row, std::uint32_t output, std::int32_t const(&results)[2]) {
      if (row >= rows) return;
      UNROLLED
      for (unsigned j = 0; j < 2; ++j) {
        if (output + j < layer.outputs) to[row * layer.outputs + output + j] = results[j];
      }
    });
  }

  Machine const& machine_;
  model::network_ref network_;
  weight_stream weights_;
  std::byte* shared_;
  unsigned stride_;
  unsigned warp_row_;
  unsigned warp_output_;
  unsigned lane_;
  unsigned here_{};   // the place of the layer's inputs
  unsigned piece_{};  // the next piece of weights
};

}  // namespace packetwarp::network_parts

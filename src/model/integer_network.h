// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/host_device.h"
#include "model/fixed_point.h"

namespace packetwarp::model {

// A row: the features of a packet, an int8 each, at places that the model and the packet stage agree on by name.
inline constexpr std::uint32_t row_bytes = 64;
// Bounds of a network, so that scratch memory and time per packet have one. Trees: nodes of all trees.
inline constexpr std::uint32_t most_width = 1024;
inline constexpr std::uint32_t most_layers = 32;
inline constexpr std::uint32_t most_outputs = 256;
inline constexpr std::uint32_t most_trees = 4096;
inline constexpr std::uint32_t most_tree_nodes = 1U << 20;
// Weights are padded with zeroes to multiples of these, as matrix units take them (function/matrix_8bit.h).
inline constexpr std::uint32_t input_multiple = 32;
inline constexpr std::uint32_t output_multiple = 8;
inline constexpr std::uint32_t used_multiple = 4;

enum class network_kind : std::uint32_t { dense = 1, trees = 2 };

// The memory form of a network: one piece of bytes, aligned to 16, which this header begins. Offsets count from the
// header; every part is aligned to 16. A copy of the bytes is a copy of the network, in GPU memory too.
struct network_header {
  std::uint32_t bytes{};  // with the header
  network_kind kind{};
  std::uint32_t count{};        // dense layers, or trees
  std::uint32_t outputs{};      // scores per row
  std::uint32_t input_table{};  // dense: offset of 256 int8, by which the first layer reads a row; 0: as it is
  std::uint32_t parts{};        // dense: offset of dense_layer[count]; trees: of the trees' roots, uint32[count]
  std::uint32_t nodes{};        // trees: offset of tree_node[node_count]
  std::uint32_t node_count{};
  std::uint32_t leaf_scores{};  // trees with several outputs: offset of int32[][outputs]
  std::uint32_t base{};         // trees: offset of int32[outputs], where sums begin
  std::uint32_t reserved[6]{};
};
static_assert(sizeof(network_header) == 64);

// A layer computes, for each output o: sum = bias[o] + the sum of input[i] x weights[o][i]; result = rescaled(sum,
// scales[o], range). Without scales the sum is the result. Results are int8, and the next layer's inputs; those of the
// last layer are int32, and the scores.
struct dense_layer {
  std::uint32_t inputs{};
  std::uint32_t outputs{};
  std::uint32_t padded_inputs{};
  std::uint32_t padded_outputs{};
  std::uint32_t weights{};        // offset of int8[padded_outputs][padded_inputs]
  std::uint32_t bias{};           // offset of int32[padded_outputs]
  std::uint32_t unsigned_bias{};  // the same for inputs that 128 was added to: bias - 128 x the sum of the weights
  std::uint32_t scales{};         // offset of fixed_factor[padded_outputs]; 0: none
  result_range range{};
  std::uint32_t used_inputs{};  // of padded_inputs: the weights of all later ones are 0; a multiple of used_multiple
};
static_assert(sizeof(dense_layer) == 48);

// dense_layer::used_inputs. weights: rows of padded_inputs.
[[nodiscard]] inline std::uint32_t used_inputs_of(std::span<std::int8_t const> weights, std::uint32_t padded_inputs) {
  std::uint32_t used = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) used = std::max(used, static_cast<std::uint32_t>(i % padded_inputs) + 1);
  }
  return (used + used_multiple - 1) / used_multiple * used_multiple;
}

// A node of a tree: from an inner one the way goes on to node `next` if row[position] <= threshold, else to next + 1. A
// leaf has the position leaf_position; `next` is its score (int32) if the network has one output, else the number of
// its row in leaf_scores.
inline constexpr std::uint8_t leaf_position = 0xff;
struct tree_node {
  std::uint8_t position{};
  std::uint8_t reserved{};
  std::int16_t threshold{};  // -129 and 127 for a comparison that always has the same result
  std::uint32_t next{};
};
static_assert(sizeof(tree_node) == 8);

// A view of the memory form, for CPU and GPU code.
class network_ref {
 public:
  network_ref() = default;
  explicit HOST_DEVICE constexpr network_ref(std::byte const* bytes) : bytes_{bytes} {}

  [[nodiscard]] HOST_DEVICE network_header const& header() const { return *at<network_header>(0); }
  template <class T>
  [[nodiscard]] HOST_DEVICE T const* at(std::uint32_t offset) const {
    return reinterpret_cast<T const*>(bytes_ + offset);
  }
  [[nodiscard]] HOST_DEVICE dense_layer const& layer(std::uint32_t number) const {
    return at<dense_layer>(header().parts)[number];
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t outputs() const { return header().outputs; }

 private:
  std::byte const* bytes_{};
};

// Owns the memory form. Only loaders make one (load.h), so its offsets and counts are right.
class integer_network {
 public:
  integer_network() = default;
  explicit integer_network(std::vector<std::byte> bytes) : bytes_{std::move(bytes)} {}

  [[nodiscard]] network_ref ref() const { return network_ref{bytes_.data()}; }
  [[nodiscard]] std::span<std::byte const> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= 16);

// Writes a memory form, part by part; the header is at its front, and complete when the bytes are taken.
class network_writer {
 public:
  network_writer() : bytes_(sizeof(network_header)) {}

  network_header header{};

  // The offset of the part.
  template <class T>
  std::uint32_t add(std::span<T const> part) {
    static_assert(std::is_trivially_copyable_v<T>);
    auto const offset = (bytes_.size() + 15) / 16 * 16;
    auto const raw = std::as_bytes(part);
    bytes_.resize(offset + raw.size());
    std::copy(raw.begin(), raw.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    return static_cast<std::uint32_t>(offset);
  }
  template <class T>
  std::uint32_t add(std::vector<T> const& part) {
    return add(std::span<T const>{part});
  }
  [[nodiscard]] integer_network take();

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace packetwarp::model

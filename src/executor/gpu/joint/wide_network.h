// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "model/integer_network.h"

namespace packetwarp {

// Rows for a network of wide layers, in GPU memory: kernels before the evaluation fill it.
struct wide_job {
  model::network_ref network;  // dense, in GPU memory
  std::uint32_t rows;          // rows that have come; the launch's `most` bounds them
};

// The evaluation of rows by a kernel of its own, for launch_wide().
struct wide_launch {
  wide_job const* job;
  std::int8_t const* rows;  // row_bytes each, aligned to 16
  std::int32_t* scores;     // the network's outputs per row
  std::uint32_t most;       // rows that both have room for
  std::uint32_t shared;     // bytes of a block's shared memory: bounds the networks that it can evaluate
  std::uint32_t blocks;
};

// The shared memory and the blocks with which a GPU evaluates networks of this width (wide_width_of) well, and the
// width of the widest network that it evaluates so. Zeroes if the GPU has too little shared memory for such a network.
struct wide_shape {
  std::uint32_t shared;
  std::uint32_t blocks;
  std::uint32_t most_width;
};
[[nodiscard]] wide_shape wide_shape_for(std::uint32_t width, std::size_t shared_bytes, unsigned multiprocessors);
// The same with as much more shared memory as another network may need that takes this one's place, whatever its width.
[[nodiscard]] wide_shape wide_shape_for_all(std::uint32_t width, std::size_t shared_bytes, unsigned multiprocessors);

// Puts the evaluation into a stream, or into the graph that the stream is captured into. The kernel reads the job when
// it runs. The scores are those of model::evaluate(), bit for bit; a network that the shared memory does not hold has
// none. A call with more shared memory than any before it on this GPU must not be captured, but after prepare_wide().
[[nodiscard]] cudaError_t launch_wide(cudaStream_t stream, wide_launch const& launch);

[[nodiscard]] cudaError_t prepare_wide(wide_shape const& shape);

}  // namespace packetwarp

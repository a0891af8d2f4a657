// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

namespace packetwarp {

// Puts kernels into a stream that run only if a word in GPU memory is not 0 when the stream comes to them. add: puts
// them into the stream that it is given. If the stream is captured into a graph, they are the body of a conditional
// node. Otherwise they are launched in any case, so that they must end at once where they find the word 0. Returns the
// first error.
[[nodiscard]] cudaError_t launch_if(cudaStream_t stream, std::uint32_t const* word,
                                    std::function<cudaError_t(cudaStream_t)> const& add);

}  // namespace packetwarp

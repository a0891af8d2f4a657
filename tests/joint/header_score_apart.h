// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joint/header_score.h"

namespace packetwarp::test {

// The same classes by a CUDA kernel of its own (joint_programs.cu), as a library's or a large model's would be made.
struct header_score_apart : header_score {
  static constexpr std::string_view name = "header_score_apart";
  static constexpr bool has_own_kernels = true;
};
static_assert(packet_function<header_score_apart>);

}  // namespace packetwarp::test

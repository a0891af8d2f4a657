// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joint/header_score.h"

namespace packetwarp::test {

// header_score's classes, worked out again and again: what happens to a GPU meanwhile happens during the joint work.
struct patient_score : header_score {
  static constexpr std::string_view name = "patient_score";
  static constexpr unsigned times = 64;

  HOST_DEVICE static void work(auto const& group, ref const& tables, room& shared) {
    for (unsigned n = 0; n < times; ++n) {
      header_score::work(group, tables, shared);
      group.sync();
    }
  }
};
static_assert(packet_function<patient_score>);

// The same by CUDA kernels of its own, as many of them.
struct patient_score_apart : patient_score {
  static constexpr std::string_view name = "patient_score_apart";
  static constexpr bool has_own_kernels = true;
};
static_assert(packet_function<patient_score_apart>);

}  // namespace packetwarp::test

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "executor/gpu/program.h"

namespace packetwarp::device {

// A function's reference to its tables in the form that a kernel takes: by value, which is read as fast as an
// instruction, or, if it is too long for that, in GPU memory.
template <class F>
struct far_tables {
  typename F::ref const* at;
};
template <class F>
inline constexpr bool has_far_tables = sizeof(typename F::ref) > most_tables_by_value;
template <class F>
using kernel_tables = std::conditional_t<has_far_tables<F>, far_tables<F>, typename F::ref>;

template <class F>
[[nodiscard]] __device__ typename F::ref const& tables_of(kernel_tables<F> const& given) {
  if constexpr (has_far_tables<F>) {
    return *given.at;
  } else {
    return given;
  }
}

}  // namespace packetwarp::device

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace packetwarp::inspect {

inline constexpr std::size_t piece_bytes = 4;

// Whether packets of many applications have these four bytes, in any case: they are of a text that protocols prescribe
// or programs send by habit.
[[nodiscard]] bool is_common_piece(std::string_view piece);

}  // namespace packetwarp::inspect

// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/integer_network.h"

namespace packetwarp::model {

// The code that multiplies; all have the same results, bit for bit.
enum class instruction_set : std::uint8_t { scalar, avx2, avx512_vnni };
[[nodiscard]] std::string_view name_of(instruction_set set);
[[nodiscard]] bool has(instruction_set set);
// The fastest one that this processor has.
[[nodiscard]] instruction_set best_instruction_set();

// Computes the scores of `count` rows: rows has row_bytes per row, scores room for the network's outputs per row. Any
// thread may call it; it allocates nothing, and takes up to 68 KiB of the stack.
void evaluate(network_ref network, std::int8_t const* rows, std::size_t count, std::int32_t* scores);

// The same by chosen instructions, which this processor has.
void evaluate_by(instruction_set set, network_ref network, std::int8_t const* rows, std::size_t count,
                 std::int32_t* scores);

}  // namespace packetwarp::model

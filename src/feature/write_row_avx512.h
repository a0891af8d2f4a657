// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "feature/write_row.h"

namespace packetwarp::feature {

// Whether this processor has the instructions of write_row_avx512(): AVX-512 F, BW, VL, VBMI and VPOPCNTDQ.
[[nodiscard]] bool has_avx512_rows();
// write_row() on such a processor.
void write_row_avx512(row_sources const& sources, std::int8_t* row);

}  // namespace packetwarp::feature

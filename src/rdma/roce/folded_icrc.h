// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace packetwarp::rdma::roce {

// The ICRC by carry-less multiplication, which folds 16 bytes into the next 16 (Gopal and others, "Fast CRC Computation
// for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009); as icrc_of_ipv4(). A CPU without that instruction
// does it by tables.
[[nodiscard]] std::uint32_t folded_icrc_of_ipv4(std::byte const* ip, std::size_t bytes);

}  // namespace packetwarp::rdma::roce
